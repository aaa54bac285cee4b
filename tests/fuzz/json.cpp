#include "formats/json.h"

#include "fuzz/fuzz.h"

using namespace zhuyi;

// What is read can be written, on one line or on many, and says the same again.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fuzz([&] {
        const Json json = parse_json(text_of(data, size), "file");
        const std::string written = json.write();
        hold(parse_json(written, "written").write() == written, "one line reads back the same");
        hold(parse_json(json.write(2), "written").write() == written, "many lines read back");
    });
}
