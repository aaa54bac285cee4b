// What this machine can give at this moment.
#pragma once
#include <optional>
#include <string>

namespace zhuyi {

// Bytes of memory that can be had without taking it from other programs: what the system calls
// available, or less where a limit is set (cgroup, ulimit -v). Nothing where the system does not
// say.
std::optional<double> available_memory();

// Bytes that fit on the disk below `path`, which need not exist yet.
std::optional<double> free_disk(const std::string& path);

}  // namespace zhuyi
