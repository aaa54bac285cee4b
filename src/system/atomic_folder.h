// A folder that appears when all of its files are written: until then it has another name.
#pragma once
#include <string>
#include <string_view>

namespace zhuyi {

// Makes the folder, and those above it that are missing; when this returns, they survive a power
// cut. Error: names the path.
void make_folders(const std::string& path);

class AtomicFolder {
  public:
    // Makes the folders above it. Error: something that is not an empty folder has the name
    // already.
    explicit AtomicFolder(std::string path);
    ~AtomicFolder();  // not committed: removes what was written
    AtomicFolder(const AtomicFolder&) = delete;
    AtomicFolder& operator=(const AtomicFolder&) = delete;

    const std::string& draft() const { return draft_; }  // the folder before commit()
    std::string file(std::string_view name) const;       // the path of a file in it
    void commit();

  private:
    std::string path_, draft_;
    bool committed_ = false;
};

}  // namespace zhuyi
