#include "generate/stop_texts.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace zhuyi {

StopTexts::StopTexts(const std::vector<std::string>& stops) {
    std::ranges::copy_if(stops, std::back_inserter(stops_),
                         [](const std::string& stop) { return !stop.empty(); });
}

std::string StopTexts::push(const std::string& more) {
    if (reached_) return "";
    held_ += more;
    std::size_t shown = held_.size();
    for (const std::string& stop : stops_)
        if (const std::size_t at = held_.find(stop); at != held_.npos)
            shown = std::min(shown, at), reached_ = true;
    // the longest tail that a stop begins with
    for (std::size_t at = 0; at < shown && !reached_; ++at)
        for (const std::string& stop : stops_)
            if (stop.starts_with(std::string_view(held_).substr(at))) shown = std::min(shown, at);
    const std::string released = held_.substr(0, shown);
    held_.erase(0, reached_ ? held_.size() : shown);
    return released;
}

std::string StopTexts::finish() { return std::exchange(held_, ""); }

}  // namespace zhuyi
