// A checkpoint keeps the options that its training was made with, so that a run.conf which somebody
// has edited since is noticed. Options that --resume may change are not among them, nor are paths.
#pragma once
#include <string>

#include "base/language.h"
#include "train/update.h"

namespace zhuyi {

struct Checkpoint;
struct RunConfig;

class ConfigNote : public Listener {
  public:
    explicit ConfigNote(const RunConfig& config);
    const char* name() const override { return "config"; }
    std::string state() override { return note_; }

  private:
    const std::string note_;
};

// What run.conf says otherwise than when this checkpoint was written, and what that means; empty:
// nothing, or an older checkpoint, which does not tell.
std::string words_of_edits(const Checkpoint& checkpoint, const RunConfig& config);

}  // namespace zhuyi
