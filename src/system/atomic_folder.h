// A folder that is there when all of its files are: it is filled under another name beside its own.
#pragma once
#include <string>
#include <string_view>

namespace zhuyi {

// The folder and those above it that are missing; when this returns, a power cut does not take them
// back. Error naming the path.
void make_folders(const std::string& path);

class AtomicFolder {
  public:
    // Makes the folders above it. Error: something that is not an empty folder has the name
    // already.
    explicit AtomicFolder(std::string path);
    ~AtomicFolder();  // not committed: nothing is left behind
    AtomicFolder(const AtomicFolder&) = delete;
    AtomicFolder& operator=(const AtomicFolder&) = delete;

    const std::string& draft() const { return draft_; }  // where its files go until then
    std::string file(std::string_view name) const;       // one of them
    void commit();

  private:
    std::string path_, draft_;
    bool committed_ = false;
};

}  // namespace zhuyi
