// Every file that comes from outside is read by code that must answer any bytes with a value or an
// Error. Each .cpp beside this one hands a reader the bytes that libFuzzer invents (`make fuzz`:
// clang's address and undefined-behaviour sanitizers watch), and holds what it accepts to a
// property: mostly, that what was read can be written and reads back the same.
//
// What a harness finds becomes a named test of the reader, beside its other tests.
#pragma once
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/check.h"
#include "support/scratch.h"

namespace zhuyi {
inline namespace support {

// A property that does not hold is a finding like a crash.
inline void hold(bool holds, const char* property) {
    if (holds) return;
    std::fprintf(stderr, "does not hold: %s\n", property);
    std::abort();
}

// Reads, and takes an Error for an answer, if a person can read it: whole input in a message would
// flood the terminal. Any other exception ends the program, and is a finding.
template <class Read>
int fuzz(const Read& read) {
    try {
        read();
    } catch (const Error& error) {
        const std::size_t length = std::string_view(error.what()).size();
        hold(length > 0 && length < 2000, "a message has a readable length");
    }
    return 0;
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

// A folder in memory where there is one: a million files are written.
inline const ScratchFolder& fuzz_folder() {
    static const ScratchFolder folder = [] {
        if (std::filesystem::is_directory("/dev/shm")) setenv("TMPDIR", "/dev/shm", 1);
        return ScratchFolder();
    }();
    return folder;
}
inline std::string as_file(std::string_view bytes, const char* name = "file") {
    return fuzz_folder().write(name, bytes);
}

}  // namespace support
}  // namespace zhuyi

// What libFuzzer calls.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
