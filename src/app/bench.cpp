#include "cost/bench.h"
#include "app/command.h"
#include "app/shared.h"
#include "base/parallel.h"
#include "system/terminal.h"

namespace zhuyi {
namespace {

class BenchCommand : public Command {
  public:
    BenchCommand()
        : Command("bench",
                  "[A|B|C|E|V …] [--optimizer muon] [--position rotary] [--precision bf16] "
                  "[--threads N] [--steps N]",
                  {"measure training steps beside what this machine can do",
                   "测量训练一步的时间，并与本机峰值算力对比"}) {}

    void declare(Options& options) override {
        options.group({"measuring", "测量"});
        declare_precision(options, training_.precision);
        declare_optimizer(options, training_.optimizer);
        declare_position(options, position_);
        declare_threads(options, threads_);
        options.add("steps", steps_, "steps",
                    {"how many steps of each configuration are measured; 0: as many as fit into "
                     "some seconds",
                     "每个配置测多少步；0 表示测几秒钟"});
        options.add("only_steps", only_steps_,
                    {"measure training steps alone: no matrix products, no memory, no generation",
                     "只测训练步，不单测矩阵乘法、内存和生成"});
        output_.declare_format(options);
    }

    int run(const std::vector<std::string>& words, const Options&) override {
        std::vector<BenchConfig> configs;
        for (const std::string& word : words) configs.push_back(bench_config(word));
        if (words.empty())  // C and E take gigabytes: only for who asks
            configs = {bench_config("A"), bench_config("B")};

        set_thread_count(int(threads_));
        Sheet sheet;
        const auto show = [&](bool last = false) {  // a person reads each part when it is there
            if (!output_.for_terminal() && !last) return;
            output_.write(sheet);
            if (!last) print("\n");
            sheet = {};
        };
        const double streaming = add_machine(sheet, training_.precision, !only_steps_);
        show();
        for (BenchConfig& config : configs) {
            config.model.position = position_;
            tell(say({"measuring %s …\n", "正在测量 %s……\n"}, config.name));
            add_result(sheet, bench(config, training_, steps_, only_steps_), streaming);
            show();
        }
        add_formula(sheet);
        show(true);
        return 0;
    }

  private:
    TrainConfig training_;  // its precision and optimizer
    Position position_ = Position::learned;
    Index threads_ = 0, steps_ = 0;
    bool only_steps_ = false;
    SheetOutput output_;
};

}  // namespace

std::unique_ptr<Command> bench_command() { return std::make_unique<BenchCommand>(); }

}  // namespace zhuyi
