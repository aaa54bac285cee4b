#include "system/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "base/check.h"
#include "system/system_reason.h"

namespace zhuyi {

FolderLock::FolderLock(const std::string& folder, const Words& holder) {
    folder_ = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder_ < 0)
        fail({"%s: cannot open the folder: %s", "%s：无法打开目录：%s"}, folder,
             system_reason(errno));
    if (flock(folder_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
    close(folder_);
    fail({"%s: %s is at work in this folder. Wait until it has ended, or stop it.",
          "%s：%s正在使用这个目录。请等它结束，或先停止它。"},
         folder, holder);
}

FolderLock::~FolderLock() { close(folder_); }

}  // namespace zhuyi
