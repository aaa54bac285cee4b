// What this machine has to give at this moment.
#pragma once
#include <filesystem>
#include <optional>

namespace zhuyi {

// Bytes of memory that can be had without pushing others out: what the system calls available, or
// less where a limit is set (cgroup, ulimit -v). Nothing where nobody can say.
std::optional<double> available_memory();

// Bytes that fit on the disk below `path`, which need not exist yet.
std::optional<double> free_disk(const std::filesystem::path& path);

}  // namespace zhuyi
