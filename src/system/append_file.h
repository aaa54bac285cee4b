// A file that only grows, and that can be cut back to a length it once had: so a run that was
// killed and goes on from its checkpoint leaves the same file as one that never stopped.
#pragma once
#include <string>
#include <string_view>

#include "base/hash.h"
#include "base/real.h"

namespace zhuyi {

class AppendFile {
  public:
    // Creates the file or opens it to go on behind its end. Every failure is an Error that names
    // the path.
    explicit AppendFile(std::string path);
    ~AppendFile();
    AppendFile(const AppendFile&) = delete;
    AppendFile& operator=(const AppendFile&) = delete;

    void append(std::string_view text);
    // "length hash" so far, for a checkpoint; everything before it is on the disk when this returns.
    // Before it the file must have been cut back once, be it to nothing.
    std::string state();
    // Cuts off what was written behind that state; "" is the empty file's. An Error when the file
    // has become shorter, or another before that.
    void cut_back(const std::string& state);

  private:
    std::string path_;
    int file_ = -1;
    Hash hash_;  // of all bytes: each is read once, as it is written
};

// The bytes that a file, of which these are the bytes now, had at that state (words behind its two
// are passed over; older states have no hash). Error: it is shorter now, or those bytes are others.
std::string_view bytes_at(const std::string& state, std::string_view bytes,
                          const std::string& path);

}  // namespace zhuyi
