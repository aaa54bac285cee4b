#include "app/command.h"
#include "app/open_run.h"
#include "base/parallel.h"
#include "cost/bench_sheet.h"
#include "system/output.h"

namespace zhuyi {
namespace {

class BenchCommand : public Command {
  public:
    BenchCommand()
        : Command("bench",
                  "[A|B|C|E|V …] [--optimizer muon] [--position rotary] [--precision bf16] "
                  "[--threads N] [--steps N] [--json]",
                  {"measure training steps beside what this machine can do",
                   "测量训练一步的时间，并与这台机器的能力相比"}) {}

    void declare(Options& options) override {
        options.group({"measuring", "测量"});
        declare_precision(options, training_.precision);
        declare_optimizer(options, training_.optimizer);
        declare_position(options, position_);
        declare_threads(options, threads_);
        options.add("steps", steps_, "steps",
                    {"measured for each configuration; 0: some seconds' worth",
                     "每个配置测多少步；0 表示测几秒钟"});
        options.add("only_steps", only_steps_,
                    {"no matrix products, no memory, no generation",
                     "只测训练步，不单测矩阵乘法、内存和生成"});
        options.add("json", json_, {"for a program", "输出 JSON，给程序读"});
    }

    int run(const std::vector<std::string>& words, const Options&, Language language) override {
        std::vector<BenchConfig> configs;
        for (const std::string& word : words) configs.push_back(bench_config(word));
        if (words.empty())  // C and E take gigabytes: only for who asks
            configs = {bench_config("A"), bench_config("B")};

        set_thread_count(int(threads_));
        const BenchMachine machine = bench_machine(training_.precision, !only_steps_);
        if (!json_) print(bench_text(machine).in(language));
        std::vector<BenchResult> results;
        for (BenchConfig& config : configs) {
            config.model.position = position_;
            tell(say({"measuring %s …\n", "正在测量 %s……\n"}, config.name).in(language));
            results.push_back(bench(config, training_, steps_, only_steps_));
            if (!json_) print(bench_text(results.back(), machine).in(language));
        }
        print(json_ ? bench_json(machine, results).write(2) + "\n" : bench_formula().in(language));
        return 0;
    }

  private:
    TrainConfig training_;  // its precision and optimizer
    Position position_ = Position::learned;
    Index threads_ = 0, steps_ = 0;
    bool only_steps_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> bench_command() { return std::make_unique<BenchCommand>(); }

}  // namespace zhuyi
