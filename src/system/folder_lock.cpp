#include "system/folder_lock.h"

#include <cerrno>
#include <ctime>
#include <sstream>

#include "base/check.h"
#include "base/format.h"
#include "system/disk.h"
#include "system/input_file.h"
#include "system/machine.h"
#include "system/printable.h"

namespace zhuyi {
// "host process time"
static std::string this_process() {
    char when[32] = "";
    const std::tm clock = universal_time(std::time(nullptr));
    std::strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &clock);
    return format("%s %td %s\n", host_name().c_str(), process_id(), when);
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
    if (there != host_name() || !id || *id <= 0) return false;
    return *id == process_id() || !is_running(*id);
}

FolderLock::FolderLock(const std::string& folder, const Words& holder, bool wanted) {
    if (!wanted) return;
    folder_ = disk::lock_folder(folder, true);
    if (folder_ >= 0) return;
    if (errno == EWOULDBLOCK)
        fail({"%s: %s is at work in this folder. Wait until it has ended, or stop it.",
              "%s：%s正在使用这个目录。请等它结束，或先停止它。"},
             folder, holder);
    if (errno != ENOLCK)
        fail({"%s: cannot open the folder: %s", "%s：无法打开目录：%s"}, folder,
             system_reason(errno));
    leave_a_file(folder, holder);
}

void FolderLock::leave_a_file(const std::string& folder, const Words& holder) {
    const std::string file = folder + "/" + kLockFile, mine = this_process();
    for (int attempt = 0; attempt < 2; ++attempt) {
        const int made = disk::open(file, disk::Open::make);
        if (made >= 0) {
            if (disk::write(made, mine.data(), mine.size()) == std::ssize(mine)) disk::sync(made);
            disk::close(made);
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
        const std::string aside = file + format(".%td", process_id());
        if (attempt == 0 && is_gone(said) && disk::rename(file, aside) == 0) {
            if (said_by(aside) == said) {
                disk::remove(aside);
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
    if (!file_.empty()) disk::remove(file_);
    if (folder_ >= 0) disk::close(folder_);
}

}  // namespace zhuyi
