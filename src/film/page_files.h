// The page's files as they lie under src/film/page/, embedded by the build (see the Makefile).
#pragma once
#include <span>
#include <string_view>

namespace zhuyi {

struct PageFile {
    std::string_view name, content;  // "style.css"
};

std::span<const PageFile> page_files();

}  // namespace zhuyi
