#include "system/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/check.h"

namespace zhuyi {

FolderLock::FolderLock(const std::string& folder, const std::string& holder) {
    folder_ = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder_ < 0) fail_english(folder + ": cannot open the folder: " + std::strerror(errno));
    if (flock(folder_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
    close(folder_);
    fail_english(folder + ": " + holder +
                 " is at work in this folder. Wait until it has ended, or stop it.");
}

FolderLock::~FolderLock() { close(folder_); }

}  // namespace zhuyi
