#include "system/system_reason.h"

#include <cerrno>
#include <cstring>

namespace zhuyi {

bool is_no_room(int error) { return error == ENOSPC || error == EDQUOT || error == EFBIG; }

void fail_for(int error, const std::string& text) {
    if (is_no_room(error)) throw NoRoom(text);
    fail(text);
}

std::string system_reason(int error) {
    static constexpr struct {
        int error;
        const char* chinese;
    } kReasons[] = {
        {ENOENT, "没有这个文件或目录"},
        {EACCES, "没有权限"},
        {EPERM, "系统不允许"},
        {EEXIST, "同名的文件已经存在"},
        {ENOTDIR, "路径中有一段不是目录"},
        {EISDIR, "这是一个目录"},
        {ENOSPC, "磁盘已满"},
        {EDQUOT, "超出了磁盘配额"},
        {EROFS, "这个磁盘只能读"},
        {EIO, "读写出错，磁盘可能坏了"},
        {EFBIG, "文件太大"},
        {ENAMETOOLONG, "名字太长"},
        {EMFILE, "打开的文件太多"},
        {ENOMEM, "内存不足"},
    };
    if (spoken() == Language::chinese)
        for (const auto& known : kReasons)
            if (error == known.error) return known.chinese;
    return std::strerror(error);
}

}  // namespace zhuyi
