// The files of a run: one table says what each is called, when it is expected, how it is checked,
// and what becomes of a training that has lost it. What needs the list walks the table: verify,
// --resume, and the commands that write a file where a person says. src/files.md shows it, and a
// test holds that page against it.
#pragma once
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cost/plan.h"
#include "run/run_folder.h"

namespace zhuyi {

struct RunState;
struct TrainingText;

// When is a file there?
enum class Expected {
    always,
    from_step_0,    // a run that was killed before has lost nothing
    by_checkpoint,  // where the checkpoint to go on from speaks of it
    sometimes
};

// What --resume does where a file is missing or damaged.
enum class IfLost {
    refuses,        // training cannot go on
    takes_another,  // previous.safetensors takes the place of last.safetensors
    draws_again,    // the seed gives the weights of step 0 once more; else no history is recorded
    begins_anew,    // from here on; what is there is kept under another name
    asks_no_more,   // no probes are asked from here on
    does_without    // writes it when its time comes, or never needs it
};

struct RunFile {
    const char* name;
    Expected expected;
    IfLost if_lost;
    const char* listener;  // whose state in a checkpoint says how far the file is known; "" if none
    bool early;            // It may be there before run.conf, which makes the folder a run.
    // Returns what there is to say of a whole file; throws Error with what is wrong with it. `run`:
    // as far as it is known; null where the file is looked at by itself. `look` is null if
    // nobody can check the file.
    std::string (*look)(const std::string& file, RunState* run);
};
// In the order in which verify looks at them: of a checkpoint can be said more when run.conf was
// read, of a log when a checkpoint was.
std::span<const RunFile> run_files();

// Any safetensors or gguf file, and what was read of it.
std::string look_at_checkpoint(const std::string& file, RunState* run);
std::string look_at_gguf(const std::string& file, RunState* run);

// A run as verify finds it, file by file.
struct RunState {
    struct Usable {
        std::string name;
        VerifiedCheckpoint checkpoint;
    };
    RunFolder folder;
    bool begun;  // a checkpoint to go on from was written
    RunConfig config = {};
    std::unique_ptr<Tokenizer> tokenizer = {};  // null if vocabulary.txt is lost
    std::vector<Usable> usable = {};            // checkpoints that are whole
    std::set<std::string> lost = {};            // files that were expected, and are not whole

    // Returns the first of these names that is whole, or null.
    const Usable* find(std::initializer_list<const char*> names) const;
    // Returns what --resume goes on from, or null.
    const Usable* resumable() const;
    bool expects(const RunFile& file) const;
    // A run that stands at step 0 begins its logs again.
    bool logs_count() const;
    // Returns what the checkpoint to go on from knows of this listener's file, or "".
    std::string state_of(std::string_view listener) const;
    // Returns the part of a file that the checkpoint knows, in which every byte must be right; the
    // whole file where it knows none.
    std::string_view known_part(std::string_view bytes, const std::string& file,
                                std::string_view listener) const;
};

// ---- what --resume does about files that are lost (mend.cpp)

// Throws UsageError with what in run.conf stands in the way of going on after `reached` steps. This
// is the one judge: --resume asks it before it begins, and verify before it promises.
void check_goes_on(const RunConfig& config, const Tokenizer& tokenizer, const RunFolder& folder,
                   Index reached);

// What --resume then does with this run, and what else can be used of it.
struct Promise {
    std::string text;  // some lines
    bool kept = true;  // nothing stands in the way but what the files' own lines say
};
Promise what_can_be_used(const RunState& run);

// Each of these returns a line for each thing it did, or "".
//
// Folders, pipes and the like in the place of the run's files are given other names, beside them.
std::string set_aside_what_is_no_file(const RunFolder& folder);
// Without its first weights nothing can be said to have moved, and no history is recorded: draws
// them once more where that can be, and else switches `config.history` off.
std::string mend_first_weights(const RunFolder& folder, RunConfig& config,
                               const TrainingText& text);
// Where probes.txt cannot be read, no probes are asked from here on.
std::string mend_probes(const RunFolder& folder, RunConfig& config);

// ---- zhuyi verify (verify.cpp): is every file as it was written, and if not, what can still be
// used?

enum class Verdict { ok, none_yet, missing, damaged };
Words words_of(Verdict verdict);

// What one file holds, or what is wrong with it and where.
struct Finding {
    std::string file;  // its name without folders
    Verdict verdict;
    std::string text;
};

struct Verified {
    bool passed = true;  // nothing is damaged, nothing is missing
    std::string usable;  // some lines that say what of a run can still be used; "" for a file
};

// `path`: a run folder, a folder that Hugging Face reads, or a file of one of the kinds that they
// hold. `tell` hears of one file after the other, as each was read: large ones take a while.
// Throws UsageError for a file of another kind, Error where there is nothing or no run.
Verified verify(const std::string& path, const std::function<void(const Finding&)>& tell);

}  // namespace zhuyi
