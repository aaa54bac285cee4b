// A file that only grows, and that can be cut back to a length it once had: so a run that was
// killed and goes on from its checkpoint leaves the same file as one that never stopped.
#pragma once
#include <string>
#include <string_view>

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
    // The length so far, for a checkpoint; everything before it is on the disk when this returns.
    std::string state();
    // Cuts off what was written behind that state. An Error when the file has become shorter than
    // it.
    void cut_back(const std::string& state);

  private:
    std::string path_;
    int file_ = -1;
};

}  // namespace zhuyi
