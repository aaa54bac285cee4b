// Reads the words of the course: a page of Markdown, of which this much is used.
//     # 9 Title    ## 9.4 Title    ### E13     a chapter, a part, an erratum; no key twice
//     <!-- … -->                               a remark to whoever edits it, over any lines
//     ```sh … ```                              each line a command, which begins with "zhuyi "
//     ```text … ```                            each line a formula
//     {sheet name}                             tables, on a line of their own
//     Answer: …   答：…                        what a reader opens after thinking
// Every other line that is not blank is a paragraph.
#include <set>

#include "base/check.h"
#include "base/format.h"
#include "explain/course.h"
#include "system/embedded.h"

namespace zhuyi {
namespace {

class CourseReader {
  public:
    explicit CourseReader(std::string file) : file_(std::move(file)) {}

    void read(std::string_view line) {
        ++line_;
        if (remark_ || (fence_.empty() && line.starts_with("<!--")))
            remark_ = line.find("-->") == line.npos;
        else if (!fence_.empty())
            read_in_fence(line);
        else if (line.starts_with("```"))
            open_fence(line);
        else if (line.starts_with('#'))
            read_heading(line);
        else if (line.starts_with("{sheet ") && line.ends_with('}'))
            add(CourseItem::Kind::sheet, line.substr(7, line.size() - 8));
        else if (!line.empty())
            add(line.starts_with("Answer: ") || line.starts_with("答：") ? CourseItem::Kind::answer
                                                                         : CourseItem::Kind::text,
                line);
    }
    std::vector<CoursePart> parts() {
        if (remark_ || !fence_.empty())
            zhuyi::fail(
                {"%s: its last remark or block is not closed", "%s：最后的注释或代码块没有结束"},
                file_);
        return std::move(parts_);
    }

  private:
    std::string where() const { return file_ + ":" + std::to_string(line_); }
    [[noreturn]] void fail(Words what) const { zhuyi::fail({"%s: %s", "%s：%s"}, where(), what); }

    void add(CourseItem::Kind kind, std::string_view text) {
        parts_.back().items.push_back({kind, std::string(text), where()});
    }
    void open_fence(std::string_view line) {
        fence_ = line.substr(3);
        if (fence_ != "sh" && fence_ != "text")
            fail({"a block is ```sh or ```text", "代码块只有 ```sh 和 ```text 两种"});
    }
    void read_in_fence(std::string_view line) {
        constexpr std::string_view kProgram = "zhuyi ";
        if (line == "```")
            fence_.clear();
        else if (fence_ == "text")
            add(CourseItem::Kind::formula, line);
        else if (line.starts_with(kProgram))
            add(CourseItem::Kind::command, line.substr(kProgram.size()));
        else
            fail({"a command begins with zhuyi", "命令以 zhuyi 开头"});
    }
    void read_heading(std::string_view line) {
        const std::size_t level = line.find_first_not_of('#');
        const std::size_t key = level == line.npos ? level : level + 1;
        if (level > 3 || key >= line.size() || line[level] != ' ')
            fail({"a heading is #, ## or ###, a blank, and its key, such as 9.4",
                  "标题是 #、## 或 ###，空一格，再写编号，如 9.4"});
        const std::size_t end = std::min(line.find(' ', key), line.size());
        const std::size_t title = std::min(line.find_first_not_of(' ', end), line.size());
        CoursePart part{Index(level), std::string(line.substr(key, end - key)),
                        std::string(line.substr(title))};
        if (!keys_.emplace(part.level, part.key).second)
            fail({"this key stands above already", "这个编号前面已经有了"});
        parts_.push_back(std::move(part));
    }

    std::string file_, fence_;
    Index line_ = 0;
    bool remark_ = false;
    std::set<std::pair<Index, std::string>> keys_;
    std::vector<CoursePart> parts_{1};
};

}  // namespace

std::vector<CoursePart> parse_course(std::string_view markdown, const std::string& file) {
    CourseReader reader(file);
    if (markdown.ends_with('\n')) markdown.remove_suffix(1);
    for (const std::string_view line : split(markdown, "\n")) reader.read(line);
    return reader.parts();
}

std::vector<CoursePart> course_text(Language language) {
    const std::string file =
        language == Language::chinese ? "data/course.zh.md" : "data/course.en.md";
    return parse_course(embedded_file(file), file);
}

std::vector<CoursePlace> course_places(const CourseItem& item) {
    std::vector<CoursePlace> places;
    const std::string& text = item.text;
    for (std::size_t open = text.find('{'); open != text.npos; open = text.find('{', open + 1)) {
        const std::size_t close = text.find('}', open);
        if (close == text.npos) fail({"%s: a { without its }", "%s：有 { 没有 }"}, item.where);
        CoursePlace place{{}, item.where};
        for (const std::string_view word :
             split(std::string_view(text).substr(open + 1, close - open - 1), " "))
            place.words.emplace_back(word);
        places.push_back(std::move(place));
    }
    return places;
}

std::string CoursePlace::word(Index i) const { return i < words.count() ? words[i] : ""; }

void CoursePlace::fail() const {
    zhuyi::fail({"%s: nothing fills {%s}", "%s：没有什么可以填 {%s}"}, where, joined(words, " "));
}

}  // namespace zhuyi
