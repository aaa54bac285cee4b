#include <algorithm>
#include <variant>

#include "explain/sheet_format.h"
#include "system/unicode.h"

namespace zhuyi {
namespace {

constexpr int kIndent = 3, kGap = 2, kWidestText = 96;

std::string spaces(int count) { return std::string(std::size_t(std::max(count, 0)), ' '); }

// Few colours: what is a heading, what is mathematics, what stands out.
class Pen {
  public:
    explicit Pen(Colours colours) : on_(colours != Colours::none) {}
    std::string heading(const std::string& text) const { return in("1", text); }
    std::string formula(const std::string& text) const { return in("36", text); }
    std::string caption(const std::string& text) const { return in("2", text); }
    std::string strong(const std::string& text) const { return in("1;33", text); }

  private:
    std::string in(const char* code, const std::string& text) const {
        return on_ ? std::string("\x1b[") + code + "m" + text + "\x1b[0m" : text;
    }
    bool on_;
};

// Lines may break at spaces and beside wide characters, but not in front of closing punctuation
// and not behind = and +.
std::vector<std::string> wrapped(const std::string& text, int width) {
    static constexpr std::string_view kNeverFirst = "，。：；、？！）》」』…”’,.:;?!)]%";
    std::vector<std::string> pieces;
    bool glue = true;  // the next character belongs to the last piece
    for (std::size_t i = 0; i < text.size();) {
        const CodePoint point = first_code_point(std::string_view(text).substr(i));
        const std::string character = text.substr(i, std::max<std::size_t>(point.bytes, 1));
        const bool wide = display_width(character) > 1;
        const bool closing = kNeverFirst.find(character) != std::string_view::npos;
        if (pieces.empty() || (!closing && (wide || !glue)))
            pieces.push_back(character);
        else
            pieces.back() += character;
        const bool operand_follows =
            text.substr(0, i).ends_with("=") || text.substr(0, i).ends_with("+");
        glue = character == " " ? operand_follows : !wide || character == "（" || character == "「";
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

struct Column {
    int width = 0;
    bool text = false;  // left-aligned
};

class TablePrinter {
  public:
    TablePrinter(const Sheet::Table& table, const SheetStyle& style)
        : table_(table),
          style_(style),
          pen_(style.colours),
          decimals_(decimals_of(table)),
          marks_(marked(table)) {}

    std::string print() {
        measure();
        choose_columns();
        std::string out;
        if (!table_.caption.empty())
            for (const std::string& line : wrapped(table_.caption, style_.columns - kIndent))
                out += spaces(kIndent) + pen_.caption(line) + "\n";
        if (!table_.columns.empty()) out += header();
        const Index room = style_.full || !table_.matrix ? Index(table_.rows.size())
                           : style_.numbers              ? std::max<Index>(style_.numbers, 2)
                                                         : table_.most_rows;
        for (Index r : shown(Index(table_.rows.size()), room))
            out += r < 0 ? spaces(kIndent + 2) + "…\n" : row(std::size_t(r));
        return out;
    }

  private:
    std::string content(std::size_t r, std::size_t c) const {
        const Sheet::Row& row = table_.rows[r];
        if (c >= row.cells.size()) return "";
        return cell_text(row.cells[c], decimals_[c]);
    }

    void measure() {
        columns_.assign(decimals_.size(), {});
        for (std::size_t r = 0; r < table_.rows.size(); ++r) {
            const Sheet::Row& row = table_.rows[r];
            label_ = std::max(label_, display_width(row.label));
            for (std::size_t c = 0; c < row.cells.size(); ++c) {
                columns_[c].width = std::max(columns_[c].width, display_width(content(r, c)));
                columns_[c].text |= row.cells[c].kind == Sheet::Cell::Kind::text;
            }
        }
        for (std::size_t c = 0; c < table_.columns.size(); ++c)
            columns_[c].width = std::max(columns_[c].width, display_width(table_.columns[c]));
    }

    // As many columns as fit a line, when that is asked for.
    void choose_columns() {
        const Index count = Index(columns_.size());
        Index room = count;
        if (table_.matrix && !style_.full) {
            room = style_.numbers ? style_.numbers : 0;
            if (!room) {
                int left = style_.columns - kIndent - label_ - kGap - 3;  // 3: the "…"
                if (count > 0) left -= columns_.back().width + kGap;
                room = 1;
                for (Index c = 0; c + 1 < count && left >= 0; ++c, ++room)
                    if ((left -= columns_[std::size_t(c)].width + kGap) < 0) break;
            }
        }
        places_ = shown(count, room);
    }

    std::string line(const std::string& label, const auto& cell) const {
        std::string out = spaces(kIndent) + fit_left(label, label_);
        for (Index c : places_) out += spaces(kGap) + (c < 0 ? "…" : cell(std::size_t(c)));
        while (out.ends_with(' ')) out.pop_back();
        return out + "\n";
    }

    std::string aligned(const std::string& text, std::size_t c) const {
        return columns_[c].text ? fit_left(text, columns_[c].width)
                                : fit_right(text, columns_[c].width);
    }

    std::string header() const {
        return line("", [&](std::size_t c) {
            return aligned(c < table_.columns.size() ? table_.columns[c] : "", c);
        });
    }

    std::string row(std::size_t r) const {
        std::string out;
        if (table_.rows[r].total) {
            int width = label_;
            for (Index c : places_) width += kGap + (c < 0 ? 1 : columns_[std::size_t(c)].width);
            out += spaces(kIndent);
            for (int i = 0; i < width; ++i) out += "─";
            out += "\n";
        }
        return out + line(table_.rows[r].label, [&](std::size_t c) {
                   const std::string text = aligned(content(r, c), c);
                   const bool mark = !marks_.empty() && c < marks_[r].size() && marks_[r][c];
                   return mark ? pen_.strong(text) : text;
               });
    }

    const Sheet::Table& table_;
    const SheetStyle& style_;
    const Pen pen_;
    const std::vector<int> decimals_;
    const std::vector<std::vector<bool>> marks_;
    std::vector<Column> columns_;
    std::vector<Index> places_;
    int label_ = 0;
};

std::string item_text(const Sheet::Item& item, const SheetStyle& style) {
    const Pen pen(style.colours);
    const int width = std::min(style.columns, kWidestText) - kIndent;
    const auto lines = [&](const std::string& text, int hanging, const auto& paint) {
        std::string out;
        for (const std::string& line : wrapped(text, width - hanging)) {
            out += spaces(kIndent + (out.empty() ? 0 : hanging)) + paint(line) + "\n";
        }
        return out;
    };
    if (const auto* text = std::get_if<Sheet::Text>(&item))
        return lines(text->text, 0, [](const std::string& s) { return s; });
    if (const auto* formula = std::get_if<Sheet::Formula>(&item))
        return lines(formula->text, 4, [&](const std::string& s) { return pen.formula(s); });
    if (const auto* product = std::get_if<Sheet::Product>(&item)) {
        const Index count = Index(product->terms.size());
        const Index room = style.full ? count : style.numbers ? style.numbers : 4;
        return lines(product_line(*product, room), 4, [](const std::string& s) { return s; });
    }
    return TablePrinter(std::get<Sheet::Table>(item), style).print();
}

}  // namespace

std::string sheet_as_terminal(const Sheet& sheet, const SheetStyle& style) {
    const Pen pen(style.colours);
    std::string out = pen.heading(sheet.title) + "\n";
    for (const Sheet::Section& section : sheet.sections) {
        out += "\n" + pen.heading(section.title) + "\n";
        for (std::size_t i = 0; i < section.items.size(); ++i) {
            const auto is = [&](std::size_t k, auto type) {
                return std::holds_alternative<decltype(type)>(section.items[k]);
            };
            // air around a table, none between the lines of a list of products
            const bool air = i > 0 && (is(i, Sheet::Table{}) || is(i - 1, Sheet::Table{}) ||
                                       is(i, Sheet::Product{}) != is(i - 1, Sheet::Product{}));
            if (air) out += "\n";
            out += item_text(section.items[i], style);
        }
    }
    return out;
}

}  // namespace zhuyi
