// Files of the source tree that the program carries with it, so that it needs no other file: the
// page of the report and the words of the course. The build embeds them (see the Makefile).
#pragma once
#include <span>
#include <string_view>

#include "base/check.h"

namespace zhuyi {

struct EmbeddedFile {
    std::string_view path, content;  // "src/film/page/style.css"
};

std::span<const EmbeddedFile> embedded_files();

inline std::string_view embedded_file(std::string_view path) {
    for (const EmbeddedFile& file : embedded_files())
        if (file.path == path) return file.content;
    fail({"the program was built without %s", "构建程序时缺少文件 %s"}, path);
}

}  // namespace zhuyi
