// One process at a time: a folder is locked while this object lives. The lock belongs to the
// process and not to the disk, so a killed process leaves none. Only writers lock; readers need
// not.
#pragma once
#include <string>

#include "base/language.h"

namespace zhuyi {

class FolderLock {
  public:
    // Error: another process holds the lock. `holder`: what that process is ("another training").
    // On a file system without locks (some network drives) nothing is locked.
    FolderLock(const std::string& folder, const Words& holder);
    ~FolderLock();
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

  private:
    int folder_ = -1;
};

}  // namespace zhuyi
