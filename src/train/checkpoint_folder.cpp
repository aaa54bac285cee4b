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

// What an error says, for a sentence that goes on.
Text without_full_stop(Text message) {
    const auto cut = [](std::string& text, std::string_view stop) {
        if (text.ends_with(stop)) text.resize(text.size() - stop.size());
    };
    cut(message.english, "."), cut(message.chinese, "。");
    return message;
}

}  // namespace

FoundCheckpoint find_checkpoint(const CheckpointFolder& folder, const std::string& which,
                                Trained trained) {
    const std::filesystem::path file = folder.checkpoint(which);
    const std::filesystem::path previous = folder.checkpoint("previous");
    const Text advice = say({". `zhuyi verify %s` says what can still be used.",
                             "。`zhuyi verify %s` 会说明还有哪些可用。"},
                            shell_word(folder.path.string()));
    Text damage;
    try {
        return {read_checkpoint(file, trained), file, {}};
    } catch (const Error& error) {
        if (file == which) throw;  // not a file of the run
        damage = without_full_stop(error.text());
    }
    if (which != "last" || !exists(previous)) fail(damage + advice);
    try {
        return {read_checkpoint(previous, trained), previous, damage};
    } catch (const Error& error) {
        fail(damage +
             say({"; nor can the one before it be used: %s", "；它之前的那个也不能用：%s"},
                 without_full_stop(error.text())) +
             advice);
    }
}

}  // namespace zhuyi
