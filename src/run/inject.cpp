#include "run/inject.h"

#include <algorithm>
#include <limits>
#include <sstream>

#include "base/check.h"
#include "base/number.h"
#include "system/disk.h"

namespace zhuyi {
namespace {

constexpr std::pair<const char*, disk::Fault> kFaults[] = {{"short", disk::Fault::short_write},
                                                           {"enospc", disk::Fault::no_space},
                                                           {"eio", disk::Fault::io_error},
                                                           {"kill", disk::Fault::kill}};
constexpr Real kInfinite = std::numeric_limits<Real>::infinity();

}  // namespace

Injection::Injection(const std::string& wish) {
    std::istringstream wishes(wish);
    for (std::string one; std::getline(wishes, one, ',');) arrange(one);
}

void Injection::arrange(const std::string& wish) {
    const std::size_t at = std::min(wish.find('@'), wish.size());
    const std::size_t colon = std::min(wish.find(':', at), wish.size());
    const std::string what = wish.substr(0, at);
    const auto number = parse_integer(wish.substr(std::min(at + 1, colon), colon - at - 1));
    if (!number || *number < 1) fail_usage_english("--inject: expected WHAT@NUMBER, found " + wish);
    if (colon < wish.size() && (what == "inf" || what == "inf-gradient")) {
        poisons_.push_back({what == "inf-gradient", *number, wish.substr(colon + 1)});
        return;
    }
    for (const auto& [name, fault] : kFaults)
        if (what == name && colon == wish.size()) return disk::inject(fault, *number);
    fail_usage_english("--inject: there is no such misfortune: " + wish);
}

Watcher* Injection::watch(Index step) {
    step_ = step;
    const auto now = [&](const Poison& poison) { return poison.step == step; };
    return std::ranges::any_of(poisons_, now) ? this : nullptr;
}

bool Injection::hits(const Poison& poison, bool gradient, std::string_view name) const {
    return poison.step == step_ && poison.gradient == gradient && poison.tensor == name;
}

bool Injection::wants(std::string_view name) const {
    return std::ranges::any_of(
        poisons_, [&](const Poison& p) { return hits(p, false, name) || hits(p, true, name); });
}

void Injection::value(std::string_view name, const Tensor& tensor) {
    for (const Poison& poison : poisons_)
        if (hits(poison, false, name)) tensor.value[0] = kInfinite;
}

void Injection::gradient(std::string_view name, const Tensor& tensor, In) {
    for (const Poison& poison : poisons_)
        if (hits(poison, true, name)) tensor.gradient->data[0] = kInfinite;
}

}  // namespace zhuyi
