#include "run/config_note.h"

#include <sstream>

#include "cost/run_config.h"
#include "system/options.h"
#include "system/printable.h"
#include "train/checkpoint.h"

namespace zhuyi {
namespace {

bool is_noted(const std::string& name) {
    for (const char* free :
         {"data", "probes", "plan", "steps", "eval_every", "save_every", "stop_after", "history"})
        if (name == free) return false;
    return true;
}

// "name=value" lines; a value has no line end (\ and n stand for one).
std::string note_of(const RunConfig& config) {
    RunConfig copy = config;
    Options options;
    declare(options, copy);
    std::string note;
    for (const Options::Entry& entry : options.entries()) {
        if (!is_noted(entry.name)) continue;
        note += entry.name + "=";
        for (const char c : entry.get()) note += c == '\n' ? "\\n" : std::string(1, c);
        note += "\n";
    }
    return note;
}

}  // namespace

ConfigNote::ConfigNote(const RunConfig& config) : note_(note_of(config)) {}

std::string words_of_edits(const Checkpoint& checkpoint, const RunConfig& config) {
    const auto noted = checkpoint.listeners.find("config");
    if (noted == checkpoint.listeners.end()) return {};
    std::istringstream before(noted->second), now(note_of(config));
    std::string changes;
    for (std::string was, is; std::getline(before, was) && std::getline(now, is);)
        if (was != is && was.substr(0, was.find('=')) == is.substr(0, is.find('=')))
            changes += (changes.empty() ? "" : "; ") + was.substr(0, was.find('=')) + " " +
                       in_quotes(was.substr(was.find('=') + 1)) + " → " +
                       in_quotes(is.substr(is.find('=') + 1));
    if (changes.empty()) return {};
    return say({"run.conf was edited after step %td: %s. Training goes on with the new values, and "
                "from that step on it is not the one that run.conf describes; put the old values "
                "back to go on as it began.\n",
                "run.conf 在第 %td 步之后被改动过：%s。训练会用新的值继续，从那一步起它就不再是 "
                "run.conf 所写的那次训练；要照原样继续，请改回原来的值。\n"},
               checkpoint.step, changes);
}

}  // namespace zhuyi
