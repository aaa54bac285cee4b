// One process at a time: a folder is locked while this object lives. The lock belongs to the
// process and not to the disk, so a killed process leaves none. Only writers lock; readers need
// not.
//
// Some network disks know no locks. There a file of the folder says who is at work: host, process,
// and when it began. A killed process leaves that file there; on its own host one sees that the
// process is gone, from another host one does not.
#pragma once
#include <string>

#include "base/language.h"

namespace zhuyi {

inline constexpr const char* kLockFile = ".zhuyi.lock";

class FolderLock {
  public:
    // Throws Error if another process holds the lock. `holder` says what that process is ("another
    // training"). If `wanted` is false, nothing is locked, whatever is at work there.
    FolderLock(const std::string& folder, const Words& holder, bool wanted = true);
    ~FolderLock();
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

  private:
    void leave_a_file(const std::string& folder, const Words& holder);

    int folder_ = -1;
    std::string file_;  // says who is at work; "" if no such file is needed
};

}  // namespace zhuyi
