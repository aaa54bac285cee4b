#include "text/documents.h"

#include <algorithm>

#include "base/check.h"
#include "base/format.h"
#include "base/real.h"
#include "system/machine.h"
#include "text/utf8.h"

namespace zhuyi {

namespace {

bool is_blank(std::string_view line) {
    constexpr std::string_view kIdeographicSpace = "　";
    while (!line.empty()) {
        const bool wide = line.starts_with(kIdeographicSpace);
        if (!wide && line[0] != ' ' && line[0] != '\t') return false;
        line.remove_prefix(wide ? kIdeographicSpace.size() : 1);
    }
    return true;
}

}  // namespace

void check_text(const std::string& content, const std::string& name, Lies lies) {
    if (const std::string complaint = complaint_about_encoding(content, name, lies);
        !complaint.empty())
        fail(complaint);
    const auto zeros = std::count(content.begin(), content.end(), '\0');
    if (zeros == 0 || std::size_t(zeros) <= content.size() / 10) return;
    const Index every = std::ssize(content) / zeros;
    const std::string found =
        zeros == std::ssize(content) ? say({"all bytes are 0", "所有字节都是 0"})
        : every == 1                 ? say({"most bytes are 0", "大部分字节是 0"})
                     : say({"every %td. byte is 0", "每 %td 个字节有一个是 0"}, every);
    fail({"%s: %s; expected text in UTF-8, this looks like UTF-16 or no text at all",
          "%s：%s；应为 UTF-8 文本，这个文件像是 UTF-16，或者不是文本"},
         name, found);
}

void normalise(std::string& text) {
    std::size_t to = 0;
    for (std::size_t from = text.starts_with(utf8::kByteOrderMark) ? utf8::kByteOrderMark.size()
                                                                   : 0;
         from < text.size(); ++from) {
        char c = text[from];
        if (c == '\r') {
            if (from + 1 < text.size() && text[from + 1] == '\n') continue;
            c = '\n';
        }
        text[to++] = c;
    }
    text.resize(to);
}

std::optional<std::string_view> next_document(std::string_view& rest, Documents documents) {
    const std::string_view file = rest;
    const char *begin = nullptr, *end = nullptr;  // of the document
    while (!rest.empty()) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        const bool blank = is_blank(line);
        if (blank && begin) break;
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        if (blank) continue;
        if (documents == Documents::file) {
            rest = {};
            return file;
        }
        if (!begin) begin = line.data();
        end = line.data() + line.size();
    }
    if (!begin) return std::nullopt;
    return std::string_view(begin, std::size_t(end - begin));
}

void check_room(const std::string& what, double bytes) {
    const std::optional<double> available = available_memory();
    if (available && bytes > *available)
        fail({"%s needs %s of memory, and %s can be had here; give a part of the text",
              "%s需要 %s 内存，这里只有 %s；请只用文本的一部分"},
             what, bytes_text(bytes), bytes_text(*available));
}

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
