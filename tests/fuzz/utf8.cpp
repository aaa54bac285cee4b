#include "base/utf8.h"

#include "fuzz/fuzz.h"
#include "system/printable.h"
#include "text/documents.h"

using namespace zhuyi;

// Any bytes fall into characters and bytes that are none, which join to the same bytes again; and
// the text that comes in two pushes is the text that comes in one.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fuzz([&] {
        const std::string_view bytes = text_of(data, size);
        std::string joined, encoded;
        bool all_whole = true;
        for (const std::string_view character : utf8::Characters(bytes)) {
            const utf8::Front front = utf8::front(character);
            const bool whole = front.finding == utf8::Finding::whole;
            hold(whole || character.size() == 1, "what is no character comes byte by byte");
            joined += character;
            encoded += whole ? utf8::encode(front.code) : std::string(character);
            all_whole = all_whole && whole;
        }
        hold(joined == bytes && encoded == bytes, "the characters join to the text");
        hold(all_whole == !utf8::first_error(bytes), "an error is found where there is one");
        hold(all_whole == complaint_about_encoding(bytes, "file").empty(), "and complained about");
        const std::string repaired = utf8::repaired(bytes);
        hold(!utf8::first_error(repaired), "what is repaired is whole");
        hold(display_width(cut_to_width(repaired, 7)) <= 7, "what is cut fits");
        hold(bytes.starts_with(utf8::prefix(bytes, utf8::length(bytes) / 2)), "a prefix is one");

        TextStream one, two;
        const std::string whole = one.push(bytes) + one.finish();
        std::string parts = two.push(bytes.substr(0, size / 2));
        parts += two.push(bytes.substr(size / 2));
        hold(whole == repaired, "a stream repairs");
        hold(whole == parts + two.finish(), "a stream may be cut anywhere");
    });
}
