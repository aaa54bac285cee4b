// Writing so that a name always stands for a whole file. The bytes go to a temporary file in the
// same folder, are brought to the disk, and only then get the name (rename, POSIX). Whatever
// happens before that — no space, no permission, a killed process — the old file stays as it was.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "system/input_file.h"  // the other direction

namespace zhuyi {

// Throws Error, with the reason, if a file of this name cannot be written: a folder, a pipe or a
// device has it.
void check_replaceable(const std::string& path);

// Every failure is an Error that names the path and says what the system said. A symbolic link of
// that name is replaced by the file, never written through.
class AtomicFile {
  public:
    explicit AtomicFile(std::string path);  // the folder must exist
    ~AtomicFile();                          // not committed: leaves nothing
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    void write(std::span<const std::byte> bytes);
    void write(std::string_view bytes);
    // Brings to the disk what was written so far, and gives the path to read it from: for a check
    // before commit().
    const std::string& draft();
    // From here on the file has its name, and survives a power cut. The file that had the name
    // before is kept as `previous` (a path in the same folder) if one is given. (A process that
    // dies between the two renames leaves only `previous`.)
    void commit(const std::string& previous = {});

  private:
    void open_temporary();
    void flush();
    void write_through(std::span<const std::byte> bytes);
    [[noreturn]] void fail_writing() const;

    std::string path_, folder_, temporary_;
    std::vector<std::byte> buffer_;  // small writes are collected
    int file_ = -1;
};

void write_file(const std::string& path, std::string_view bytes);

// ---- folders

// Makes the folder, and those above it that are missing; when this returns, they survive a power
// cut. Error: names the path.
void make_folders(const std::string& path);

// It appears when all of its files are written; until then it has another name.
class AtomicFolder {
  public:
    // Makes the folders above it. Error: something that is not an empty folder has the name
    // already, or another process is writing a folder of this name.
    explicit AtomicFolder(std::string path);
    ~AtomicFolder();  // not committed: removes what was written
    AtomicFolder(const AtomicFolder&) = delete;
    AtomicFolder& operator=(const AtomicFolder&) = delete;

    const std::string& draft() const { return draft_; }  // the folder before commit()
    std::string file(std::string_view name) const;       // the path of a file in it
    void commit();

  private:
    void open_draft();

    std::string path_, draft_;
    int folder_ = -1;  // the draft, locked
    bool committed_ = false;
};

}  // namespace zhuyi
