#include "run/config_difference.h"

#include "cost/run_config.h"
#include "system/options.h"
#include "system/printable.h"

namespace zhuyi {
namespace {

std::string shown_value(const std::string& value) {
    return value.empty() ? "\"\"" : printable(value);
}

}  // namespace

std::vector<ConfigDifference> differences(const RunConfig& first, const RunConfig& second) {
    RunConfig one = first, two = second;  // options are bound to variables
    Options ones, twos;
    declare(ones, one);
    declare(twos, two);
    std::vector<ConfigDifference> found;
    for (const Options::Entry& entry : ones.entries()) {
        if (entry.name == "plan") continue;
        const std::string was = entry.get(), is = twos.value(entry.name);
        if (was != is) found.push_back({entry.name, was, is, entry.group, entry.help});
    }
    return found;
}

Text differences_text(const std::vector<ConfigDifference>& differences) {
    Text text;
    for (const ConfigDifference& d : differences) {
        const Text one = say_both({"%s %s, %s", "%s %s，%s"}, d.name, shown_value(d.first),
                                  shown_value(d.second));
        text.english += (text.english.empty() ? "" : "; ") + one.english;
        text.chinese += (text.chinese.empty() ? "" : "；") + one.chinese;
    }
    return text;
}

}  // namespace zhuyi
