#include <algorithm>
#include <functional>
#include <variant>

#include "base/utf8.h"
#include "formats/sheet_format.h"
#include "system/printable.h"

namespace zhuyi {
namespace {

constexpr int kIndent = 3, kGap = 2, kWidestText = 96;

std::string spaces(int count) { return std::string(std::size_t(std::max(count, 0)), ' '); }

// Few colours: what is a heading, what is mathematics, what stands out.
constexpr const char *kHeading = "1", *kMathematics = "36", *kCaption = "2", *kStrong = "1;33";

std::string painted(const SheetStyle& style, const char* code, const std::string& text) {
    if (style.colours == Colours::none) return text;
    return std::string("\x1b[") + code + "m" + text + "\x1b[0m";
}

// Lines may break at spaces and beside wide characters, but not in front of closing punctuation,
// not behind opening punctuation, and not after = and +.
std::vector<std::string> wrapped(const std::string& text, int width) {
    static constexpr std::string_view kNeverFirst = "，。：；、？！）》」』】…—～”’,.:;?!)]%",
                                      kNeverLast = "（《「『【“‘([";
    std::vector<std::string> pieces;
    bool glue = true, opened = false;  // does the next character belong to the last piece?
    for (std::size_t i = 0; i < text.size();) {
        const std::string character =
            text.substr(i, utf8::front(std::string_view(text).substr(i)).length);
        const bool wide = display_width(character) > 1;
        const bool closing = kNeverFirst.find(character) != std::string_view::npos;
        if (pieces.empty() || (!closing && !opened && (wide || !glue)))
            pieces.push_back(character);
        else
            pieces.back() += character;
        const bool operand_follows =
            text.substr(0, i).ends_with("=") || text.substr(0, i).ends_with("+");
        glue = character == " " ? operand_follows : !wide;
        opened = kNeverLast.find(character) != std::string_view::npos;
        i += character.size();
    }
    std::vector<std::string> lines{""};
    for (const std::string& piece : pieces) {
        const int trimmed = display_width(piece) - (piece.ends_with(' ') ? 1 : 0);
        if (display_width(lines.back()) + trimmed > width && !lines.back().empty()) {
            while (lines.back().ends_with(' ')) lines.back().pop_back();
            lines.emplace_back();
        }
        lines.back() += piece;
    }
    return lines;
}

// Draws one table: measures its columns, chooses those that fit, and writes the lines.
class TableLines {
  public:
    TableLines(const Sheet::Table& table, const SheetStyle& style, int indent)
        : table_(table, style), style_(style), indent_(indent) {}

    std::string write() {
        measure();
        columns_ = table_.shown_columns(style_, fitting_columns());
        std::string out;
        if (!table_.caption.empty())
            for (const std::string& line : wrapped(table_.caption, style_.columns - indent_))
                out += spaces(indent_) + painted(style_, kCaption, line) + "\n";
        if (table_.header)
            out += line("", [&](std::size_t c) { return aligned(table_.columns[c], c); });
        if (style_.numbers) table_.most_rows = std::max<Index>(style_.numbers, 2);
        for (Index r : table_.shown_rows())
            out += r < 0 ? spaces(indent_ + 2) + "…\n" : row(table_.rows[std::size_t(r)]);
        return out;
    }

  private:
    void measure() {
        for (const std::string& name : table_.columns) widths_.push_back(display_width(name));
        for (const TextTable::Row& row : table_.rows) {
            label_ = std::max(label_, display_width(row.label));
            for (std::size_t c = 0; c < row.cells.size(); ++c)
                widths_[c] = std::max(widths_[c], display_width(row.cells[c].text));
        }
    }

    // As many columns as fit a line beside the label, "…" and the last column.
    Index fitting_columns() const {
        int left = style_.columns - indent_ - label_ - kGap - 3;
        if (!widths_.empty()) left -= widths_.back() + kGap;
        Index room = 1;
        for (std::size_t c = 0; c + 1 < widths_.size() && left >= 0; ++c, ++room)
            if ((left -= widths_[c] + kGap) < 0) break;
        return room;
    }

    std::string line(const std::string& label, const auto& cell) const {
        std::string out = spaces(indent_) + fit_left(label, label_);
        for (Index c : columns_)
            out +=
                spaces(table_.labels || c != 0 ? kGap : 0) + (c < 0 ? "…" : cell(std::size_t(c)));
        while (out.ends_with(' ')) out.pop_back();
        return out + "\n";
    }

    std::string aligned(const std::string& text, std::size_t c) const {
        return table_.words[c] ? fit_left(text, widths_[c]) : fit_right(text, widths_[c]);
    }

    std::string row(const TextTable::Row& row) const {
        std::string out;
        if (row.total) {
            int width = label_;
            for (Index c : columns_) width += kGap + (c < 0 ? 1 : widths_[std::size_t(c)]);
            out += spaces(indent_);
            for (int i = 0; i < width; ++i) out += "─";
            out += "\n";
        }
        const std::size_t last = table_.wraps ? row.cells.size() - 1 : row.cells.size();
        int left = indent_ + label_ + kGap;  // of the last column
        for (std::size_t c = 0; c < last; ++c) left += widths_[c] + kGap;
        std::vector<std::string> words;
        if (table_.wraps) words = wrapped(row.cells[last].text, style_.columns - left);
        out += line(row.label, [&](std::size_t c) {
            if (c >= row.cells.size()) return aligned("", c);
            if (c == last) return words.front();
            const std::string text = aligned(row.cells[c].text, c);
            return row.cells[c].mark ? painted(style_, kStrong, text) : text;
        });
        for (std::size_t i = 1; i < words.size(); ++i) out += spaces(left) + words[i] + "\n";
        return out;
    }

    TextTable table_;
    const SheetStyle& style_;
    const int indent_;
    std::vector<int> widths_;
    std::vector<Index> columns_;
    int label_ = 0;
};

struct TerminalWriter {
    const SheetStyle& style;
    const int indent;

    std::string operator()(const Sheet::Paragraph& paragraph) const {
        const bool shut = paragraph.folded && !style.full;
        return lines(shut ? say({"(The answer: --full)", "（答案：加 --full）"}) : paragraph.text,
                     0);
    }
    std::string operator()(const Sheet::Formula& formula) const {
        if (formula.whole)
            return spaces(indent) + painted(style, kMathematics, formula.text) + "\n";
        return lines(formula.text, 4,
                     [&](const std::string& line) { return painted(style, kMathematics, line); });
    }
    std::string operator()(const Sheet::Product& product) const {
        const Index room = room_for(style, std::ssize(product.terms), 4);
        return lines(product_line(product, room), 4);
    }
    std::string operator()(const Sheet::Table& table) const {
        return TableLines(table, style, indent).write();
    }

  private:
    // Broken where it is too long; the second and further lines are indented by `hanging`.
    template <class Paint = std::identity>
    std::string lines(const std::string& text, int hanging, const Paint& paint = {}) const {
        const int width = std::min(style.columns, kWidestText) - indent;
        std::string out;
        for (const std::string& line : wrapped(text, width - hanging))
            out += spaces(indent + (out.empty() ? 0 : hanging)) + paint(line) + "\n";
        return out;
    }
};

}  // namespace

std::string sheet_as_terminal(const Sheet& sheet, const SheetStyle& style) {
    std::string out;
    if (!sheet.title.empty()) out = painted(style, kHeading, sheet.title) + "\n";
    for (const Sheet::Section& section : sheet.sections) {
        const auto items = items_for(Sheet::Reader::person, section);
        if (items.empty() && !section.items.empty()) continue;
        if (!out.empty()) out += "\n";
        if (!section.title.empty()) out += painted(style, kHeading, section.title) + "\n";
        const int indent = sheet.title.empty() && section.title.empty() ? 0 : kIndent;
        for (std::size_t i = 0; i < items.size(); ++i) {
            const auto is = [&](std::size_t k, auto type) {
                return std::holds_alternative<decltype(type)>(*items[k]);
            };
            // air around a table, none between the lines of a list of products
            const bool air = i > 0 && (is(i, Sheet::Table{}) || is(i - 1, Sheet::Table{}) ||
                                       is(i, Sheet::Product{}) != is(i - 1, Sheet::Product{}));
            if (air) out += "\n";
            out += std::visit(TerminalWriter{style, indent}, *items[i]);
        }
    }
    return out;
}

}  // namespace zhuyi
