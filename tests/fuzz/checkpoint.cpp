#include "train/checkpoint.h"
#include <algorithm>
#include "model/config.h"
#include "model/parameters.h"
#include "train/config.h"
#include "train/optimizer.h"

#include "base/format.h"
#include "formats/json.h"
#include "fuzz/fuzz.h"

using namespace zhuyi;

namespace {

GptConfig smallest() {
    GptConfig config;
    config.context = config.channels = config.heads = config.layers = config.ffn = 1;
    config.vocabulary = 2;
    return config;
}

// Checksums would refuse nearly all that a fuzzer does to a file: they are left out, unless it
// brings them back.
std::string without_checksums(const Json& header) {
    Json changed;
    for (const auto& [name, value] : header.members()) {
        Json metadata;
        if (name == "__metadata__")
            for (const auto& [key, text] : value.members())
                if (!key.starts_with("xxh64")) metadata.set(key, text);
        changed.set(name, name == "__metadata__" ? metadata : value);
    }
    return changed.write();
}

// A right checkpoint in parts, of which the fuzzer changes one.
struct Whole {
    Parameters parameters{parameter_table(smallest()), true};
    std::string header, data;
    Whole() {
        parameters.initialise(1);
        const std::string path = fuzz_folder().path("right");
        const auto optimizer = make_optimizer(parameters.table(), TrainConfig{});
        write_checkpoint(path, {parameters, *optimizer}, {3, 2.5, 0xABCDEF, {{"history", "12"}}});
        const std::string file = fuzz_folder().read("right");
        std::uint64_t length = 0;
        std::copy_n(file.data(), sizeof length, reinterpret_cast<char*>(&length));
        header = without_checksums(parse_json(file.substr(sizeof length, length), path));
        data = file.substr(sizeof length + length);
    }
};

std::string file_of(const std::string& header, std::string_view data) {
    const std::uint64_t length = header.size();
    return std::string(reinterpret_cast<const char*>(&length), sizeof length) + header +
           std::string(data);
}

// "m" key=value lines: the metadata say so. "d" place, byte …: the data differ there. Anything
// else: the header, or if it begins with "f" the whole file.
std::string changed(const Whole& whole, char kind, std::string_view bytes) {
    if (kind == 'f') return std::string(bytes);
    if (kind == 'd') {
        std::string data = whole.data;
        for (std::size_t i = 0; i + 2 < bytes.size(); i += 3) {
            const std::size_t place = std::size_t(static_cast<unsigned char>(bytes[i])) * 256 +
                                      static_cast<unsigned char>(bytes[i + 1]);
            data[place % data.size()] = bytes[i + 2];
        }
        return file_of(whole.header, data);
    }
    if (kind != 'm') return file_of(std::string(bytes), whole.data);
    const Json header = parse_json(whole.header, "header");
    Json changed_header;
    for (const auto& [name, value] : header.members()) {
        if (name != "__metadata__") {
            changed_header.set(name, value);
            continue;
        }
        Json metadata = value;
        for (std::string_view rest = bytes; !rest.empty();) {
            const std::string_view line = rest.substr(0, rest.find('\n'));
            rest.remove_prefix(std::min(rest.size(), line.size() + 1));
            const std::size_t equals = line.find('=');
            if (equals != line.npos)
                metadata.set(std::string(line.substr(0, equals)), line.substr(equals + 1));
        }
        changed_header.set(name, metadata);
    }
    return file_of(changed_header.write(), whole.data);
}

}  // namespace

// What is accepted can be written, and reads back the same.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static Whole whole;
    if (size == 0) return 0;
    return fuzz([&] {
        const std::string path =
            as_file(changed(whole, char(data[0]), text_of(data + 1, size - 1)));
        Parameters parameters(parameter_table(smallest()), true);
        const auto optimizer = make_optimizer(parameters.table(), TrainConfig{});
        const Trained trained(parameters, *optimizer);
        const Checkpoint checkpoint = read_checkpoint(path, trained);
        const std::string written = fuzz_folder().path("written");
        write_checkpoint(written, trained, checkpoint);
        const Checkpoint again = read_checkpoint(written, trained);
        hold(again.step == checkpoint.step && again.text_hash == checkpoint.text_hash &&
                 again.listeners == checkpoint.listeners,
             "a checkpoint reads back the same");
        hold(again.best_loss == checkpoint.best_loss, "with its best loss");
    });
}
