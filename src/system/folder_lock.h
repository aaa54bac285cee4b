// One process at a time: a folder is locked while this lives. The lock belongs to the process and
// not to the disk, so one that was killed leaves none behind; who only reads asks for none.
#pragma once
#include <string>

namespace zhuyi {

class FolderLock {
  public:
    // Error: another process holds it. `holder` is what that process is doing ("another training").
    // On a file system that knows no locks (some network drives) nothing is locked.
    FolderLock(const std::string& folder, const std::string& holder);
    ~FolderLock();
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

  private:
    int folder_ = -1;
};

}  // namespace zhuyi
