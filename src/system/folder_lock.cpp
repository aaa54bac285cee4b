#include "system/folder_lock.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <sstream>

#include "base/check.h"
#include "base/format.h"
#include "system/disk.h"
#include "system/input_file.h"
#include "system/printable.h"

namespace zhuyi {
static std::string host() {
    utsname name = {};
    return uname(&name) == 0 && name.nodename[0] ? name.nodename : "unknown";
}

// "host process time"
static std::string this_process() {
    char when[32] = "";
    const std::time_t now = std::time(nullptr);
    tm clock = {};
    if (gmtime_r(&now, &clock)) std::strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &clock);
    return format("%s %td %s\n", host().c_str(), Index(getpid()), when);
}

// What the file says, or "" where there is none.
static std::string said_by(const std::string& file) {
    try {
        return read_file(file, 4096);
    } catch (const Error&) {
        return "";
    }
}

// Only of a process of this host can be known that it is gone.
static bool is_gone(const std::string& said) {
    std::istringstream words(said);
    std::string there, process;
    words >> there >> process;
    const auto id = parse_integer(process);
    if (there != host() || !id || *id <= 0) return false;
    return *id == getpid() || (kill(pid_t(*id), 0) != 0 && errno == ESRCH);
}

FolderLock::FolderLock(const std::string& folder, const Words& holder, bool wanted) {
    if (!wanted) return;
    folder_ = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder_ < 0)
        fail({"%s: cannot open the folder: %s", "%s：无法打开目录：%s"}, folder,
             system_reason(errno));
    if (disk::lock(folder_) == 0) return;
    if (errno == EWOULDBLOCK) {
        close(folder_);
        fail({"%s: %s is at work in this folder. Wait until it has ended, or stop it.",
              "%s：%s正在使用这个目录。请等它结束，或先停止它。"},
             folder, holder);
    }
    try {
        leave_a_file(folder, holder);
    } catch (...) {
        close(folder_);
        throw;
    }
}

void FolderLock::leave_a_file(const std::string& folder, const Words& holder) {
    const std::string file = folder + "/" + kLockFile, mine = this_process();
    for (int attempt = 0; attempt < 2; ++attempt) {
        const int made = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (made >= 0) {
            const bool written = ::write(made, mine.data(), mine.size()) == ssize_t(mine.size());
            if (written) fsync(made);
            close(made);
            file_ = file;
            return;
        }
        const int error = errno;
        if (error != EEXIST)
            fail({"cannot write %s: %s. (This disk has no locks, so a file says who is at work.)",
                  "无法写入 %s：%s。（这个磁盘不支持锁，所以用一个文件说明谁在使用。）"},
                 file, system_reason(error));
        const std::string said = said_by(file);
        // Taken away under a name of its own: if somebody else's file came in between, it is that
        // one which is found there, and goes back.
        const std::string aside = file + format(".%td", Index(getpid()));
        if (attempt == 0 && is_gone(said) && disk::rename(file, aside) == 0) {
            if (said_by(aside) == said) {
                unlink(aside.c_str());
                continue;
            }
            disk::rename(aside, file);
        }
        fail({"%1$s: %2$s is at work in this folder: %3$s (host, process, since when). Wait until "
              "it has ended. If it no longer runs, remove %4$s, or add --no-lock.",
              "%1$s：%2$s正在使用这个目录：%3$s（主机、进程号、开始时间）。请等它结束。"
              "如果它已不在运行，请删除 %4$s，或加上 --no-lock。"},
             folder, holder, in_quotes(said.substr(0, said.find('\n'))), file);
    }
    fail({"%s: other processes keep locking it", "%s：其他进程一直在锁它"}, folder);
}

FolderLock::~FolderLock() {
    if (!file_.empty()) unlink(file_.c_str());
    if (folder_ >= 0) close(folder_);
}

}  // namespace zhuyi
