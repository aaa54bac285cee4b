#include "text/text_stream.h"

#include "text/utf8.h"

namespace zhuyi {

std::string TextStream::push(std::string_view bytes) {
    held_ += bytes;
    std::string_view rest = held_;
    std::string released;
    while (!rest.empty()) {
        const utf8::Front found = utf8::front(rest);
        if (found.finding == utf8::Finding::cut) break;
        const auto length = std::size_t(found.length);
        released +=
            found.finding == utf8::Finding::whole ? rest.substr(0, length) : utf8::kReplacement;
        rest.remove_prefix(length);
    }
    held_ = std::string(rest);
    return released;
}

std::string TextStream::finish() {
    const std::string released = utf8::repaired(held_);
    held_.clear();
    return released;
}

}  // namespace zhuyi
