#include "train/checkpoint.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/check.h"
#include "base/format.h"
#include "base/hash.h"
#include "base/math.h"
#include "base/utf8.h"
#include "formats/safetensors.h"
#include "model/parameters.h"
#include "system/disk.h"
#include "system/printable.h"

namespace zhuyi {
constexpr const char* kListener = "listener.";  // + name, in the metadata

static std::vector<Index> extents(const Shape& shape) {
    std::vector<Index> list;
    for (int axis = 0; axis < shape.rank(); ++axis) list.push_back(shape[axis]);
    return list;
}

static void check_shape(const SafetensorsFile& file, const SafetensorsEntry& entry,
                        const Shape& shape) {
    if (entry.shape != extents(shape))
        fail({"%s: %s has shape %s, this model needs %s. The checkpoint belongs to another "
              "configuration.",
              "%s：%s 的形状是 %s，这个模型需要 %s。这个检查点属于另一份配置。"},
             file.path(), entry.name, shape_text(entry.shape), shape.text());
}

static void read_parameter(const SafetensorsFile& file, const std::string& name, const Shape& shape,
                           Out values) {
    check_shape(file, file.at(name), shape);
    file.read_numbers(name, values);
}

static std::string metadata_at(const SafetensorsFile& file, const std::string& key) {
    const auto found = file.metadata().find(key);
    if (found == file.metadata().end())
        fail({"%s: its metadata has no \"%s\"; it is no checkpoint of zhuyi",
              "%s：元数据里没有“%s”；它不是 zhuyi 的检查点"},
             file.path(), key);
    return found->second;
}

static Checkpoint metadata_of(const SafetensorsFile& file) {
    Checkpoint checkpoint;
    const auto step = parse_integer(metadata_at(file, "step"));
    if (!step || *step < 0)
        fail({"%s: its metadata has no step that is a number", "%s：元数据里的 step 不是数"},
             file.path());
    checkpoint.step = *step;
    if (file.metadata().contains("best_loss"))
        if (const auto loss = parse_number(metadata_at(file, "best_loss")))
            checkpoint.best_loss = *loss;
    if (file.metadata().contains("since_best"))
        checkpoint.since_best = parse_integer(metadata_at(file, "since_best")).value_or(0);
    const auto hash = parse_hash(metadata_at(file, "text_hash"));
    if (!hash)
        fail({"%s: its metadata has no text_hash of 16 hexadecimal digits",
              "%s：元数据里的 text_hash 不是 16 位十六进制数"},
             file.path());
    checkpoint.text_hash = *hash;
    if (file.metadata().contains("vocabulary_hash")) {
        checkpoint.vocabulary_hash = parse_hash(metadata_at(file, "vocabulary_hash"));
        if (!checkpoint.vocabulary_hash)
            fail({"%s: the vocabulary_hash of its metadata is no 16 hexadecimal digits",
                  "%s：元数据里的 vocabulary_hash 不是 16 位十六进制数"},
                 file.path());
    }
    checkpoint.fingerprint = parse_hash(metadata_at(file, "fingerprint"));
    const std::string prefix = kListener;
    for (const auto& [key, value] : file.metadata())
        if (key.starts_with(prefix)) checkpoint.listeners[key.substr(prefix.size())] = value;
    return checkpoint;
}

static void check_fingerprint(const SafetensorsFile& file, std::uint64_t fingerprint) {
    if (hash_text(fingerprint) != metadata_at(file, "fingerprint"))
        fail({"%s: the weights do not have the fingerprint that the file says: it is damaged. "
              "Another checkpoint of the run may be whole: --checkpoint=last|best|first.",
              "%s：权重的指纹与文件里写的不同，文件已损坏。这个训练目录的其他检查点也许完好："
              "--checkpoint=last|best|first。"},
             file.path());
}

static std::vector<Real> finite_numbers(const SafetensorsFile& file,
                                        const SafetensorsEntry& entry) {
    std::vector<Real> values(static_cast<std::size_t>(entry.size()));
    file.read_numbers(entry.name, values);
    if (const auto bad = first_not_finite(values))
        fail(
            {"%1$s: number %2$td of tensor %3$s is %4$g", "%1$s：张量 %3$s 的第 %2$td 个数是 %4$g"},
            file.path(), *bad, in_quotes(entry.name), double(values[std::size_t(*bad)]));
    return values;
}

void write_checkpoint(const std::string& path, Trained trained, const Checkpoint& checkpoint,
                      const std::string& previous) {
    Parameters& parameters = trained.parameters;
    std::vector<TensorBytes> tensors;
    const auto put = [&](const std::string& name, const Parameter& p, Out values) {
        tensors.push_back(tensor_bytes<Real>(name, extents(p.shape), values));
    };
    for (const Parameter& p : parameters.table()) {
        put(p.name, p, parameters.value(p));
        if (!trained.optimizer) continue;
        for (const auto& [name, values] : trained.optimizer->state_of(p)) put(name, p, values);
    }
    Metadata metadata{{"format", "pt"},  // some readers insist
                      {"zhuyi", "checkpoint 1"},
                      {"step", std::to_string(checkpoint.step)},
                      {"text_hash", hash_text(checkpoint.text_hash)},
                      {"fingerprint", hash_text(parameters.fingerprint())}};
    if (checkpoint.best_loss < std::numeric_limits<double>::infinity())
        metadata["best_loss"] = number_text(checkpoint.best_loss);
    if (checkpoint.since_best > 0) metadata["since_best"] = std::to_string(checkpoint.since_best);
    if (checkpoint.vocabulary_hash)
        metadata["vocabulary_hash"] = hash_text(*checkpoint.vocabulary_hash);
    for (const auto& [name, state] : checkpoint.listeners) metadata[kListener + name] = state;
    write_checked_safetensors(path, std::move(tensors), std::move(metadata), previous);
}

Checkpoint read_checkpoint(const std::string& path, Trained trained) {
    Parameters& parameters = trained.parameters;
    const SafetensorsFile file(path);
    const Checkpoint checkpoint = metadata_of(file);
    const bool weights_alone =
        checkpoint.step == 0 && file.entries().size() == parameters.table().size();
    for (const Parameter& p : parameters.table()) {
        read_parameter(file, p.name, p.shape, parameters.value(p));
        if (!trained.optimizer) continue;
        for (const auto& [name, values] : trained.optimizer->state_of(p))
            if (!weights_alone) read_parameter(file, name, p.shape, values);
    }
    check_fingerprint(file, parameters.fingerprint());
    return checkpoint;
}

Checkpoint read_checkpoint_header(const std::string& path) {
    return metadata_of(SafetensorsFile(path));
}

void check_vocabulary(const Checkpoint& checkpoint, std::uint64_t hash, const std::string& path) {
    if (checkpoint.vocabulary_hash.value_or(hash) == hash) return;
    fail({"%s: is not the vocabulary that the weights were trained with (its hash is %s, the "
          "checkpoint says %s). Put it back: no other gives their tokens the right characters.",
          "%s：不是训练这些权重时用的词表（它的哈希是 %s，检查点里是 %s）。"
          "请放回原来的词表：用别的词表，token 会对应到错误的字。"},
         path, hash_text(hash), hash_text(*checkpoint.vocabulary_hash));
}

VerifiedCheckpoint verify_checkpoint(const std::string& path, const std::vector<Parameter>& table,
                                     const Rules& rules) {
    const SafetensorsFile file(path);
    VerifiedCheckpoint checkpoint{metadata_of(file)};
    Hash fingerprint;
    Index expected = 0, moments = 0;
    for (const Parameter& p : table) {
        for (const std::string& name : state_names(rules, p)) {
            const SafetensorsEntry* entry = file.find(name);
            ++expected;
            moments += entry != nullptr;
            if (!entry) continue;
            check_shape(file, *entry, p.shape);
            finite_numbers(file, *entry);
        }
        const SafetensorsEntry& entry = file.at(p.name);
        check_shape(file, entry, p.shape);
        fingerprint.add(std::span<const Real>(finite_numbers(file, entry)));
    }
    if (moments > 0 && moments < expected)
        fail({"%s: expected %td tensors of the optimizer's state, found %td",
              "%s：优化器的状态应有 %td 个张量，实际有 %td 个"},
             path, expected, moments);
    check_fingerprint(file, fingerprint.value());
    checkpoint.tensors = std::ssize(file.entries());
    checkpoint.checksums = file.has_checksums();
    checkpoint.moments = moments > 0;
    return checkpoint;
}

Index verify_tensors(const std::string& path) {
    const SafetensorsFile file(path);
    for (const SafetensorsEntry& entry : file.entries()) {
        const std::string_view type = name_of(entry.type);
        if (type[0] == 'F' || type == "BF16")
            finite_numbers(file, entry);
        else
            file.verify(entry);
    }
    return std::ssize(file.entries());
}

std::string CheckpointFolder::checkpoint(const std::string& which) const {
    for (const char* name : {"first", "last", "previous", "best", "damaged"})
        if (which == name) return file(which + ".safetensors");
    return which;
}

// What an error says, for a sentence that goes on.
static std::string without_full_stop(std::string message) {
    for (const std::string_view stop : {".", "。"})
        if (message.ends_with(stop)) message.resize(message.size() - stop.size());
    return message;
}

FoundCheckpoint find_checkpoint(const CheckpointFolder& folder, const std::string& which,
                                Trained trained) {
    const std::string file = folder.checkpoint(which);
    const std::string previous = folder.checkpoint("previous");
    const std::string advice = say({". `zhuyi verify %s` says what can still be used.",
                                    "。`zhuyi verify %s` 会说明还有哪些可用。"},
                                   shell_word(folder.path));
    std::string damage;
    try {
        return {read_checkpoint(file, trained), file, {}};
    } catch (const DiskError&) {  // The file may be whole.
        throw;
    } catch (const Error& error) {
        if (file == which) throw;  // not a file of the run
        damage = without_full_stop(error.what());
    }
    if (which != "last" || !std::filesystem::exists(previous)) fail(damage + advice);
    try {
        return {read_checkpoint(previous, trained), previous, damage};
    } catch (const Error& error) {
        fail(damage +
             say({"; nor can the one before it be used: %s", "；它之前的那个也不能用：%s"},
                 without_full_stop(error.what())) +
             advice);
    }
}

void CheckpointFolder::put_in_place_of_last(const std::string& good) const {
    const std::string last = checkpoint("last");
    const bool aside =
        !std::filesystem::exists(last) || disk::rename(last, checkpoint("damaged")) == 0;
    if (!aside || disk::rename(good, last) != 0)
        fail({"cannot put %s in the place of the damaged checkpoint %s: %s",
              "无法用 %s 替换损坏的检查点 %s：%s"},
             good, last, std::strerror(errno));
}

}  // namespace zhuyi
