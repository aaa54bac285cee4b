#include "run/comparison.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <set>

#include "base/check.h"
#include "base/format.h"
#include "film/page.h"
#include "model/config.h"
#include "run/loaded_run.h"
#include "run/report.h"
#include "run/run_folder.h"
#include "system/atomic_file.h"
#include "system/input_file.h"
#include "system/printable.h"
#include "system/terminal.h"
#include "text/tokenized.h"

namespace zhuyi {
[[noreturn]] static void no_variants(const std::string& vary) {
    fail_usage({"--vary: expected an option and its values, --vary freeze=none,embedding; found %s",
                "--vary：应该是一个选项和它的几个值，例如 --vary freeze=none,embedding；这里是 %s"},
               in_quotes(vary));
}

// "adamw+warmup=100" of the option "optimizer".
static Variant variant_of(const std::string& option, std::string_view value,
                          const std::string& vary) {
    Variant variant{option + "=" + std::string(value), {}};
    std::string own;
    for (const std::string_view part : split(value, "+")) {
        if (part.empty()) continue;
        const std::size_t equals = part.find('=');
        if (equals == 0) no_variants(vary);
        if (equals != std::string::npos)
            variant.settings.emplace_back(part.substr(0, equals), part.substr(equals + 1));
        else
            own.append(own.empty() ? "" : ",").append(part);
    }
    if (own.empty()) no_variants(vary);
    variant.settings.emplace(variant.settings.begin(), option, own);
    RunConfig config;
    Options options;
    declare(options, config);
    for (auto& [name, text] : variant.settings) {
        const auto entry = std::ranges::find(options.entries(), name, &Options::Entry::name);
        const bool is_text = entry != options.entries().end() && entry->kind == "text";
        if (is_text && text == "none") text.clear();
        options.set(name, text, "--vary " + variant.name);
    }
    return variant;
}

// In seconds, of each variant, all its pieces added up.
static std::map<std::string, double> times_in(const std::string& path) {
    std::map<std::string, double> times;
    const std::string lines = read_file(path);
    for (const std::string_view line : split(lines, "\n")) {
        const std::size_t space = line.find(' ');
        if (const auto seconds = parse_number(line.substr(0, space)); seconds)
            times[std::string(line.substr(std::min(space, line.size() - 1) + 1))] += *seconds;
    }
    return times;
}

static void check_same_options(const PlannedVariant& v) {
    RunConfig made = read_run_config({v.wish.folder});
    Options options;
    declare(options, made);
    for (const Options::Entry& entry : v.options.entries())
        if (entry.name != "data" && v.options.was_set(entry.name) &&
            options.value(entry.name) != entry.get())
            fail_usage({"%s was made with %s = %s; found %s. Give another folder: --out FOLDER.",
                        "%s 训练时用的是 %s = %s，这里却是 %s。请换一个目录：--out 目录。"},
                       printable(v.wish.folder), entry.name, options.value(entry.name),
                       entry.get());
}

// How many rules are known, and how many there are; of both 0 where no probes were asked.
static std::pair<Index, Index> rules_known(const RunFolder& folder) {
    if (!std::filesystem::exists(folder.probe_log())) return {0, 0};
    const std::string path = folder.probe_log();
    const ProbeHistory asked = parse_probe_log(read_file(path), path);
    const auto known = [&](const std::string& rule) { return asked.known_since(rule).has_value(); };
    return {std::ranges::count_if(asked.rules, known), std::ssize(asked.rules)};
}

std::vector<Variant> variants_of(const std::string& vary) {
    // 1  Each option with its values, looked at before anything is multiplied.
    std::vector<std::vector<Variant>> axes;
    double trainings = 1;
    for (const std::string_view axis : split(vary, " ")) {
        if (axis.empty()) continue;
        const std::size_t equals = axis.find('=');
        if (equals == std::string::npos || equals == 0) no_variants(vary);
        std::vector<Variant>& variants = axes.emplace_back();
        for (const std::string_view value : split(axis.substr(equals + 1), ","))
            if (!value.empty())
                variants.push_back(variant_of(std::string(axis.substr(0, equals)), value, vary));
        if (variants.empty()) no_variants(vary);
        trainings *= double(variants.size());
    }
    if (axes.empty()) no_variants(vary);
    if (trainings > double(kMostVariants))
        fail_usage({"--vary asks for %.0f trainings, and expected are at most %td; name fewer "
                    "options or fewer values",
                    "--vary 要做 %.0f 次训练，最多 %td 次；请少写几个选项或几个值"},
                   trainings, kMostVariants);
    // 2  Every combination.
    std::vector<Variant> all{{"", {}}};
    for (const std::vector<Variant>& axis : axes) {
        std::vector<Variant> more;
        for (const Variant& before : all)
            for (Variant one : axis) {
                one.name = before.name + (before.name.empty() ? "" : "+") + one.name;
                one.settings.insert(one.settings.begin(), before.settings.begin(),
                                    before.settings.end());
                more.push_back(std::move(one));
            }
        all = std::move(more);
    }
    std::set<std::string> names;
    for (const Variant& variant : all)
        if (!names.insert(variant.name).second)
            fail_usage({"--vary names %s twice", "--vary 里 %s 出现了两次"}, variant.name);
    for (Variant& variant : all)  // a name is a folder's
        std::ranges::replace(variant.name, '/', '_');
    return all;
}

void look_at_folders(PlannedVariants& planned, bool resume) {
    for (const auto& v : planned) {
        const RunFolder folder{v->wish.folder};
        if (!folder.is_run()) {
            check_no_strangers(folder);
            continue;
        }
        if (!resume)
            fail_usage({"%s holds a run already. Go on with what is there: --resume; or give "
                        "another folder: --out FOLDER.",
                        "%s 已是训练目录。接着已有的继续：--resume；或换一个目录：--out 目录。"},
                       printable(v->wish.folder));
        const bool begun = std::filesystem::exists(folder.checkpoint("last")) ||
                           std::filesystem::exists(folder.checkpoint("previous"));
        v->reached = begun ? load_run(v->wish.folder, "last").checkpoint.step : 0;
        if (v->finished()) check_same_options(*v);
    }
}

void try_out(PlannedVariants& planned) {
    std::string made_for;  // text options
    std::optional<TrainingText> text;
    std::map<std::string, std::shared_ptr<const Corpus::Files>> read;  // by name: each once
    for (const auto& v : planned) {
        const TextOptions& options = v->wish.config.text;
        if (options.data.empty()) continue;
        std::shared_ptr<const Corpus::Files>& files = read[options.data];
        if (!files) files = std::make_shared<Corpus::Files>(Corpus::read_files(options));
        v->wish.text = files;
    }
    for (const auto& v : planned) {
        if (v->finished() || v->wish.suits_the_text) continue;
        RunConfig config = v->wish.config;
        Options options;
        declare(options, config.text);
        if (const std::string now = options.file(); !text || now != made_for) {
            text.emplace(TrainingText{read_text(config, v->wish.text.get()), nullptr, {}});
            text->tokenizer = make_tokenizer(text->corpus, config.text);
            text->tokens = tokenize(text->corpus, *text->tokenizer);
            made_for = now;
        }
        config.model.vocabulary = text->tokenizer->size();
        check(config.model);
        check_length(text->tokens, config.model.context);
        const Index left = config.train.steps - std::max<Index>(v->reached, 0);
        if (const std::optional<Pace> pace = pace_where_worth_it(config, text->tokens))
            v->seconds = pace->seconds(left, config.train);
    }
}

Sheet comparison_plan(const PlannedVariants& planned) {
    Sheet sheet{
        say({"%zu trainings, one after the other:", "%zu 次训练，一个接一个："}, planned.size())};
    Sheet::Table& table = sheet.list("plan", {"", "", "", ""});
    double all = 0;
    for (const auto& v : planned) {
        const Index steps = v->wish.config.train.steps;
        const std::string state =
            v->finished()     ? say({"done already", "已完成"})
            : v->reached >= 0 ? say({"goes on from step %td", "从第 %td 步继续"}, v->reached)
                              : std::string();
        const std::string other =  // than the first
            joined(differences(planned.front()->wish.config, v->wish.config), ", ",
                   [](const auto& d) { return d.name + " = " + shown_value(d.second); });
        const std::string time =
            v->seconds ? say({"about %s", "大约 %s"}, duration_text(*v->seconds)) : std::string();
        all += v->seconds.value_or(0);
        table.add(v->variant.name, {say({"%td steps", "%td 步"}, steps), time, state, other});
    }
    if (all > 0) sheet.text({"about %s in all", "共约 %s"}, duration_text(all));
    return sheet;
}

int train_variants(PlannedVariants& planned, const std::string& times) {
    using Clock = std::chrono::steady_clock;
    std::size_t number = 0;
    if (!std::filesystem::exists(times)) write_file(times, kComparisonMark + std::string("\n"));
    for (const auto& v : planned) {
        ++number;
        if (v->finished()) continue;
        tell(say({"\n%zu of %zu: %s\n", "\n第 %zu 个，共 %zu 个：%s\n"}, number, planned.size(),
                 printable(v->variant.name)));
        const Clock::time_point begun = Clock::now();
        FaultInjection none("");
        const int code = v->reached >= 0 ? resume_training(v->wish, v->options, none)
                                         : begin_training(v->wish, v->options, none);
        const double seconds = std::chrono::duration<double>(Clock::now() - begun).count();
        write_file(times, read_file(times) + format("%.1f ", seconds) + v->variant.name + "\n");
        if (code != 0) return code;
    }
    return 0;
}

Sheet comparison_sheet(const PlannedVariants& planned, const std::string& times) {
    const std::map<std::string, double> seconds = times_in(times);
    Sheet sheet;
    sheet.text(
        {"nats per character of the validation part, in windows, and each document from its "
         "beginning; rules that it knows; seconds of training",
         "验证集的损失，奈特/字符：按等长的段，以及每篇从头读起；懂得的规则；训练用的秒数"});
    Sheet::Table& table =
        sheet.records("variants", {{"name"},
                                   {"step", {"steps", "步"}},
                                   {"validation_loss", {"validation", "验证损失"}},
                                   {"documents_loss", {"documents", "整篇"}},
                                   {"rules_known", {"rules known", "懂得的规则"}},
                                   Sheet::unseen("rules"),
                                   {"seconds", {"seconds", "秒"}}});
    for (const auto& v : planned) {
        const LoadedRun run = load_run(v->wish.folder, "last");
        const auto found = seconds.find(v->variant.name);
        const auto [known, rules] = rules_known(run.folder);
        table.record({v->variant.name, Cell::exact(double(run.checkpoint.step)),
                      Cell::fixed(score(run, "", false, v->wish.text.get()).per_character(), 4),
                      Cell::fixed(score(run, "", true, v->wish.text.get()).per_character(), 4),
                      rules > 0 ? Cell(double(known), format("%td/%td", known, rules)) : Cell(),
                      rules > 0 ? Cell(double(rules)) : Cell(),
                      found == seconds.end() ? Cell() : Cell::fixed(found->second, 1)});
    }
    return sheet;
}

std::string write_comparison_page(const PlannedVariants& planned, const std::string& out) {
    std::vector<std::string> with_film;
    for (const auto& v : planned)
        if (std::filesystem::exists(RunFolder{v->wish.folder}.history()))
            with_film.push_back(v->wish.folder);
    if (with_film.empty()) return "";
    std::string others;
    for (std::size_t i = 1; i < std::min(with_film.size(), kMostOthers + 1); ++i)
        others += (others.empty() ? "" : ",") + with_film[i];
    write_film_page(with_film.front(), others, out, {});
    return out;
}

}  // namespace zhuyi
