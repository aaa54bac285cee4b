#include "text/documents.h"

#include <algorithm>
#include <filesystem>

#include "base/check.h"
#include "base/format.h"
#include "base/utf8.h"
#include "system/machine.h"
#include "system/printable.h"

namespace zhuyi {

Words fault_of(std::string_view bytes) {
    constexpr Words kWords[] = {
        {"is a character", "是一个字符"},
        {"begins a character that the end of the text cuts short",
         "开始了一个字符，但文本在它中间结束"},
        {"is a continuation byte without a beginning", "是后续字节，前面却没有首字节"},
        {"never occurs in UTF-8", "在 UTF-8 中从不出现"},
        {"begins a character whose next bytes are missing", "开始了一个字符，但缺少后续字节"},
        {"begins a longer form than the character needs", "开始了一个过长的编码"},
        {"begins half of a surrogate pair (CESU-8?)", "开始了代理对的一半（可能是 CESU-8）"},
        {"begins a number beyond U+10FFFF", "开始了一个超过 U+10FFFF 的码位"},
    };
    return kWords[int(utf8::front(bytes).finding)];
}

namespace {
using namespace std::string_view_literals;

unsigned byte_at(std::string_view bytes, std::size_t i) {
    return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0;
}
bool within(unsigned byte, unsigned first, unsigned last) { return byte >= first && byte <= last; }

std::string iconv_line(const char* encoding, const std::string& path, bool in_folder) {
    const std::filesystem::path old(path);
    if (in_folder) {
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

// Pairs of GBK: lead 81 … FE, trail 40 … FE without 7F; four bytes where the second is a digit.
// Common ones: GB2312, whose bytes both lie in A1 … FE, its 汉字 and punctuation (rows up to F7).
// Big5 has such leads too, but many of its trails lie below.
bool looks_like_gb18030(std::string_view bytes) {
    Index characters = 0, faults = 0;
    for (std::string_view piece : utf8::Characters(bytes)) {
        if (piece.size() > 1) ++characters;
        if (piece.size() == 1 && byte_at(piece, 0) >= 0x80) ++faults;
    }
    Index good = 0, common = 0, bad = 0;  // pairs
    for (std::size_t i = 0; i < bytes.size();) {
        const unsigned lead = byte_at(bytes, i), trail = byte_at(bytes, i + 1);
        const bool digits = within(trail, '0', '9');
        if (lead < 0x80) {
            ++i;
        } else if (!within(lead, 0x81, 0xFE) || (!within(trail, 0x40, 0xFE) && !digits) ||
                   trail == 0x7F) {
            if (i + 1 < bytes.size()) ++bad;  // else the excerpt ends inside a pair
            ++i;
        } else {
            ++good;
            common += within(lead, 0xA1, 0xF7) && trail >= 0xA1;
            i += digits ? 4 : 2;
        }
    }
    return faults > characters && common > 0 && good >= 20 * bad && 10 * common >= 8 * good;
}

std::string complaint_about_encoding(std::string_view bytes, const std::string& path,
                                     bool in_folder) {
    if (const char* encoding = wide_encoding(bytes))
        return say({"%s is %s, expected UTF-8; this makes UTF-8 of it: %s",
                    "%s 是 %s，应为 UTF-8；可以这样转换：%s"},
                   path, encoding, iconv_line(encoding, path, in_folder));
    const std::optional<Index> fault = utf8::first_error(bytes);
    if (!fault) return {};

    const auto offset = std::size_t(*fault);
    Index line = 0;
    std::size_t start = line_start(bytes, offset, line);
    constexpr std::size_t kExcerpt = 1 << 20;  // enough to judge by; a line may be gigabytes long
    if (offset - start > kExcerpt) start = offset;
    const std::string message =
        say({"%s, line %td, byte offset %td: 0x%02X %s; expected UTF-8. ",
             "%s，第 %td 行，字节偏移 %td：0x%02X %s；应为 UTF-8。"},
            path, line, *fault, byte_at(bytes, offset), fault_of(bytes.substr(offset)));
    if (looks_like_gb18030(bytes.substr(start, kExcerpt)))
        return message + say({"The file looks like GB18030 (GBK); this makes UTF-8 of it: %s",
                              "文件看起来是 GB18030（GBK）；可以这样转换：%s"},
                             iconv_line("GB18030", path, in_folder));
    return message + say({"Save the text as UTF-8, or mend that place in an editor.",
                          "请把文本另存为 UTF-8，或在编辑器里改正这一处。"});
}

static bool is_blank(std::string_view line) {
    constexpr std::string_view kIdeographicSpace = "　";
    while (!line.empty()) {
        const bool wide = line.starts_with(kIdeographicSpace);
        if (!wide && line[0] != ' ' && line[0] != '\t') return false;
        line.remove_prefix(wide ? kIdeographicSpace.size() : 1);
    }
    return true;
}

// What a file that is no text begins with, and what it is.
static void refuse_other_kinds(const std::string& content, const std::string& name) {
    static constexpr std::pair<std::string_view, Words> kKinds[] = {
        {"\x89PNG", {"a picture (PNG)", "图片（PNG）"}},
        {"\xFF\xD8\xFF", {"a picture (JPEG)", "图片（JPEG）"}},
        {"GIF8", {"a picture (GIF)", "图片（GIF）"}},
        {"%PDF-", {"a PDF", "PDF"}},
        {"PK\x03\x04", {"a packed file (zip, docx, xlsx …)", "压缩文件（zip、docx、xlsx 等）"}},
        {"\x1F\x8B", {"a packed file (gzip)", "压缩文件（gzip）"}},
        {"\xD0\xCF\x11\xE0", {"an old Word or Excel file", "旧版 Word 或 Excel 文件"}},
        {"\x7F"
         "ELF",
         {"a program", "程序"}},
        {"MZ\x90", {"a program", "程序"}},
    };
    for (const auto& [begins, kind] : kKinds)
        if (content.starts_with(begins))
            fail({"%s: expected text in UTF-8, found %s; save its words as a .txt file",
                  "%s：应为 UTF-8 文本，却是%s；请把里面的文字另存为 .txt 文件"},
                 name, kind);
}

void check_text(const std::string& content, const std::string& name, bool in_folder) {
    refuse_other_kinds(content, name);
    if (const std::string complaint = complaint_about_encoding(content, name, in_folder);
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
        released += found.whole() ? rest.substr(0, found.length) : utf8::kReplacement;
        rest.remove_prefix(found.length);
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
