// A file that only grows, and that can be cut back to a length it once had: so a run that was
// killed and goes on from its checkpoint leaves the same file as one that never stopped.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/hash.h"

namespace zhuyi {

// Throws Error if a symbolic link to a file (or to nothing) has this name: what is appended would
// land in another folder.
void check_no_link(const std::string& path);

class AppendFile {
  public:
    // Creates the file, or opens it to go on after its end. Every failure is an Error that names
    // the path.
    explicit AppendFile(std::string path);
    ~AppendFile();
    AppendFile(const AppendFile&) = delete;
    AppendFile& operator=(const AppendFile&) = delete;

    void append(std::string_view text);
    // "length hash" of the file so far, for a checkpoint; all of its bytes are on the disk when
    // this returns. cut_back() must have been called once before, if only with "".
    std::string state();
    // Cuts off what was written after that state; "" is the state of an empty file. Error: the file
    // is shorter than it was, or its bytes up to there have changed.
    void cut_back(const std::string& state);
    std::uint64_t size() const;  // bytes in the file now
    // Keeps what is in the file under another name in its folder, and begins a new file. Returns
    // that other name, or "" if the file was empty.
    std::string set_aside();

  private:
    void open();

    std::string path_;
    int file_ = -1;
    Hash hash_;  // of all bytes: each is read once, as it is written
};

// Returns a free name beside this one, for what is set aside: "samples.txt.damaged".
std::string name_aside(const std::string& path);

// `bytes` is what the file holds now. Returns the front part of them, which it held at that state.
// (Words after the first two of a state are skipped; older states have no hash.) Throws Error if
// the file is shorter now, or if that part has changed.
std::string_view bytes_at(const std::string& state, std::string_view bytes,
                          const std::string& path);

}  // namespace zhuyi
