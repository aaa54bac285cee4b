#include "train/checkpoint.h"

#include <limits>
#include <vector>

#include "base/check.h"
#include "base/hash.h"
#include "base/number.h"
#include "formats/safetensors.h"

namespace zhuyi {
namespace {

constexpr const char* kListener = "listener.";  // + name, in the metadata

std::vector<Index> extents(const Shape& shape) {
    std::vector<Index> list;
    for (int axis = 0; axis < shape.rank(); ++axis) list.push_back(shape[axis]);
    return list;
}

std::string text_of(const std::vector<Index>& shape) {
    std::string text = "[";
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        text += (axis ? ", " : "") + std::to_string(shape[axis]);
    return text + "]";
}

void read_parameter(const SafetensorsFile& file, const std::string& name, const Shape& shape,
                    Out values) {
    const SafetensorsEntry& entry = file.at(name);
    if (entry.shape != extents(shape))
        fail(file.path() + ": " + name + " has shape " + text_of(entry.shape) +
             ", this model needs " + shape.text() +
             ". The checkpoint belongs to another configuration.");
    file.read_numbers(name, values);
}

std::string metadata_at(const SafetensorsFile& file, const std::string& key) {
    const auto found = file.metadata().find(key);
    if (found == file.metadata().end())
        fail(file.path() + ": its metadata has no \"" + key + "\"; it is no checkpoint of zhuyi");
    return found->second;
}

}  // namespace

void write_checkpoint(const std::string& path, Parameters& parameters, const Checkpoint& checkpoint,
                      const std::string& previous) {
    std::vector<TensorBytes> tensors;
    const auto put = [&](const std::string& name, const Parameter& p, Out values) {
        tensors.push_back(tensor_bytes<Real>(name, extents(p.shape), values));
    };
    for (const Parameter& p : parameters.table()) {
        put(p.name, p, parameters.value(p));
        if (!parameters.training() || p.frozen) continue;
        put("adam.m." + p.name, p, parameters.m(p));
        put("adam.v." + p.name, p, parameters.v(p));
    }
    Metadata metadata{{"format", "pt"},  // some readers insist
                      {"zhuyi", "checkpoint 1"},
                      {"step", std::to_string(checkpoint.step)},
                      {"text_hash", hash_text(checkpoint.text_hash)},
                      {"fingerprint", hash_text(parameters.fingerprint())}};
    if (checkpoint.best_loss < std::numeric_limits<double>::infinity())
        metadata["best_loss"] = number_text(checkpoint.best_loss);
    for (const auto& [name, state] : checkpoint.listeners) metadata[kListener + name] = state;
    write_checked_safetensors(path, std::move(tensors), std::move(metadata), previous);
}

Checkpoint read_checkpoint(const std::string& path, Parameters& parameters) {
    const SafetensorsFile file(path);
    Checkpoint checkpoint;
    const auto step = parse_integer(metadata_at(file, "step"));
    if (!step || *step < 0) fail(path + ": its metadata has no step that is a number");
    checkpoint.step = *step;
    checkpoint.best_loss = std::numeric_limits<double>::infinity();
    if (file.metadata().contains("best_loss"))
        if (const auto loss = parse_number(metadata_at(file, "best_loss")))
            checkpoint.best_loss = *loss;
    const auto hash = parse_hash(metadata_at(file, "text_hash"));
    if (!hash) fail(path + ": its metadata has no text_hash of 16 hexadecimal digits");
    checkpoint.text_hash = *hash;
    const std::string prefix = kListener;
    for (const auto& [key, value] : file.metadata())
        if (key.starts_with(prefix)) checkpoint.listeners[key.substr(prefix.size())] = value;

    for (const Parameter& p : parameters.table()) {
        read_parameter(file, p.name, p.shape, parameters.value(p));
        if (!parameters.training() || p.frozen) continue;
        read_parameter(file, "adam.m." + p.name, p.shape, parameters.m(p));
        read_parameter(file, "adam.v." + p.name, p.shape, parameters.v(p));
    }
    if (hash_text(parameters.fingerprint()) != metadata_at(file, "fingerprint"))
        fail(path +
             ": the weights do not have the fingerprint that the file says: it is damaged. "
             "Another checkpoint of the run may be whole: --checkpoint=last|best|first.");
    return checkpoint;
}

}  // namespace zhuyi
