#include "run/fault_injection.h"

#include <algorithm>
#include <limits>
#include <sstream>

#include "base/check.h"
#include "base/number.h"
#include "system/disk.h"
#include "system/printable.h"

namespace zhuyi {
namespace {

constexpr std::pair<const char*, disk::Fault> kFaults[] = {{"short", disk::Fault::short_write},
                                                           {"enospc", disk::Fault::no_space},
                                                           {"eio", disk::Fault::io_error},
                                                           {"kill", disk::Fault::kill},
                                                           {"no-locks", disk::Fault::no_locks}};
constexpr Real kInfinite = std::numeric_limits<Real>::infinity();

}  // namespace

FaultInjection::FaultInjection(const std::string& wish) {
    std::istringstream wishes(wish);
    for (std::string one; std::getline(wishes, one, ',');) arrange(one);
}

void FaultInjection::arrange(const std::string& wish) {
    const std::size_t at = std::min(wish.find('@'), wish.size());
    const std::size_t colon = std::min(wish.find(':', at), wish.size());
    const std::string what = wish.substr(0, at);
    const auto number = parse_integer(wish.substr(std::min(at + 1, colon), colon - at - 1));
    if (!number || *number < 1)
        fail_usage(
            {"--inject: expected WHAT@NUMBER, found %s", "--inject：格式是 故障@次数，这里是 %s"},
            in_quotes(wish));
    if (colon < wish.size() && (what == "inf" || what == "inf-gradient")) {
        poisons_.push_back({what == "inf-gradient", *number, wish.substr(colon + 1)});
        return;
    }
    for (const auto& [name, fault] : kFaults)
        if (what == name && colon == wish.size()) return disk::inject(fault, *number);
    fail_usage({"--inject: there is no such fault: %s", "--inject：没有这种故障：%s"},
               in_quotes(wish));
}

Watcher* FaultInjection::watch(Index step) {
    step_ = step;
    const auto now = [&](const Poison& poison) { return poison.step == step; };
    return std::ranges::any_of(poisons_, now) ? this : nullptr;
}

bool FaultInjection::hits(const Poison& poison, bool gradient, std::string_view name) const {
    return poison.step == step_ && poison.gradient == gradient && poison.tensor == name;
}

bool FaultInjection::wants(std::string_view name) const {
    return std::ranges::any_of(
        poisons_, [&](const Poison& p) { return hits(p, false, name) || hits(p, true, name); });
}

void FaultInjection::replace(std::string_view name, const Tensor& tensor) {
    for (const Poison& poison : poisons_)
        if (hits(poison, false, name)) tensor.value[0] = kInfinite;
}

void FaultInjection::replace_gradient(std::string_view name, Out gradient) {
    for (const Poison& poison : poisons_)
        if (hits(poison, true, name)) gradient[0] = kInfinite;
}

}  // namespace zhuyi
