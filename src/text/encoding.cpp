#include "text/encoding.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/format.h"
#include "text/utf8.h"

namespace zhuyi {

namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

unsigned byte_at(std::string_view bytes, std::size_t i) {
    return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0;
}
bool within(unsigned byte, unsigned first, unsigned last) { return byte >= first && byte <= last; }

struct Pairs {
    Index good = 0, common = 0, bad = 0;
};

// Lead 81 … FE, trail 40 … FE without 7F; four bytes where the second is a digit. Common: GB2312,
// whose bytes both lie in A1 … FE, its 汉字 and punctuation (rows up to F7). Big5 has such leads
// too, but many of its trails lie below.
Pairs pairs_of(std::string_view bytes) {
    Pairs pairs;
    for (std::size_t i = 0; i < bytes.size();) {
        const unsigned lead = byte_at(bytes, i), trail = byte_at(bytes, i + 1);
        const bool digits = within(trail, '0', '9');
        if (lead < 0x80) {
            ++i;
        } else if (!within(lead, 0x81, 0xFE) || (!within(trail, 0x40, 0xFE) && !digits) ||
                   trail == 0x7F) {
            if (i + 1 < bytes.size()) ++pairs.bad;  // else the excerpt ends inside a pair
            ++i;
        } else {
            ++pairs.good;
            pairs.common += within(lead, 0xA1, 0xF7) && trail >= 0xA1;
            i += digits ? 4 : 2;
        }
    }
    return pairs;
}

std::string iconv_line(const char* encoding, const std::string& path, Lies lies) {
    const std::filesystem::path old(path);
    if (lies == Lies::in_folder) {
        const std::string from = shell_quoted(path), to = shell_quoted(path + ".utf8");
        return format("iconv -f %s -t UTF-8 %s > %s && mv %s %s", encoding, from.c_str(),
                      to.c_str(), to.c_str(), from.c_str());
    }
    const std::string mended = (old.parent_path() / (old.stem().string() + ".utf8.txt")).string();
    return format("iconv -f %s -t UTF-8 %s > %s", encoding, shell_quoted(path).c_str(),
                  shell_quoted(mended).c_str());
}

const char* wide_encoding(std::string_view bytes) {
    if (bytes.starts_with("\xFF\xFE\0\0"sv) || bytes.starts_with("\0\0\xFE\xFF"sv)) return "UTF-32";
    if (bytes.starts_with("\xFF\xFE"sv) || bytes.starts_with("\xFE\xFF"sv)) return "UTF-16";
    return nullptr;
}

// Editors count lines by LF, CR LF and lone CR.
std::size_t line_start(std::string_view bytes, std::size_t offset, Index& line) {
    std::size_t start = 0;
    line = 1;
    for (std::size_t i = 0; i < offset; ++i)
        if (bytes[i] == '\n' || (bytes[i] == '\r' && byte_at(bytes, i + 1) != '\n')) {
            ++line;
            start = i + 1;
        }
    return start;
}

}  // namespace

bool looks_like_gb18030(std::string_view bytes) {
    Index characters = 0, faults = 0;
    for (std::string_view piece : utf8::Characters(bytes)) {
        if (piece.size() > 1) ++characters;
        if (piece.size() == 1 && byte_at(piece, 0) >= 0x80) ++faults;
    }
    const Pairs pairs = pairs_of(bytes);
    return faults > characters && pairs.common > 0 && pairs.good >= 20 * pairs.bad &&
           10 * pairs.common >= 8 * pairs.good;
}

std::string shell_quoted(std::string_view word) {
    std::string quoted = "'";
    for (char c : word) quoted += c == '\'' ? "'\\''"s : std::string(1, c);
    return quoted + "'";
}

std::string shell_word(std::string_view word) {
    const auto plain = [](char c) {
        return within(static_cast<unsigned char>(c), 0x80, 0xFF) || std::isalnum(c) ||
               "/._-+,:@%="sv.find(c) != std::string_view::npos;
    };
    return !word.empty() && std::all_of(word.begin(), word.end(), plain) ? std::string(word)
                                                                         : shell_quoted(word);
}

std::string complaint_about_encoding(std::string_view bytes, const std::string& path, Lies lies) {
    if (const char* encoding = wide_encoding(bytes))
        return say({"%s is %s, expected UTF-8; this makes UTF-8 of it: %s",
                    "%s 是 %s，应为 UTF-8；可以这样转换：%s"},
                   path, encoding, iconv_line(encoding, path, lies));
    const auto fault = utf8::first_error(bytes);
    if (!fault) return {};

    const auto offset = std::size_t(fault->offset);
    Index line = 0;
    std::size_t start = line_start(bytes, offset, line);
    constexpr std::size_t kExcerpt = 1 << 20;  // enough to judge by; a line may be gigabytes long
    if (offset - start > kExcerpt) start = offset;
    const std::string message =
        say({"%s, line %td, byte offset %td: 0x%02X %s; expected UTF-8. ",
             "%s，第 %td 行，字节偏移 %td：0x%02X %s；应为 UTF-8。"},
            path, line, fault->offset, byte_at(bytes, offset), utf8::description(fault->finding));
    if (looks_like_gb18030(bytes.substr(start, kExcerpt)))
        return message + say({"The file looks like GB18030 (GBK); this makes UTF-8 of it: %s",
                              "文件看起来是 GB18030（GBK）；可以这样转换：%s"},
                             iconv_line("GB18030", path, lies));
    return message + say({"Save the text as UTF-8, or mend that place in an editor.",
                          "请把文本另存为 UTF-8，或在编辑器里改正这一处。"});
}

}  // namespace zhuyi
