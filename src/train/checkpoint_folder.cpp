#include "train/checkpoint_folder.h"

#include "base/check.h"
#include "text/encoding.h"

namespace zhuyi {

std::filesystem::path CheckpointFolder::checkpoint(const std::string& which) const {
    for (const char* name : {"first", "last", "previous", "best", "damaged"})
        if (which == name) return path / (which + ".safetensors");
    return which;
}

namespace {

// What an error says, to be gone on with.
std::string without_full_stop(std::string message) {
    if (message.ends_with('.')) message.pop_back();
    return message;
}

}  // namespace

FoundCheckpoint find_checkpoint(const CheckpointFolder& folder, const std::string& which,
                                Trained trained) {
    const std::filesystem::path file = folder.checkpoint(which);
    const std::filesystem::path previous = folder.checkpoint("previous");
    const std::string advice =
        ". `zhuyi verify " + shell_word(folder.path.string()) + "` says what can still be used.";
    std::string damage;
    try {
        return {read_checkpoint(file, trained), file, ""};
    } catch (const Error& error) {
        if (file == which) throw;  // no file of the run's own
        damage = without_full_stop(error.what());
    }
    if (which != "last" || !exists(previous)) fail_english(damage + advice);
    try {
        return {read_checkpoint(previous, trained), previous, damage};
    } catch (const Error& error) {
        fail_english(damage + "; nor can the one before it be used: " +
                     without_full_stop(error.what()) + advice);
    }
}

}  // namespace zhuyi
