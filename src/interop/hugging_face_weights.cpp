#include <filesystem>
#include <set>

#include "base/check.h"
#include "formats/json.h"
#include "interop/hugging_face.h"
#include "system/input_file.h"
#include "system/printable.h"

namespace zhuyi {

namespace {

constexpr std::uint64_t kLargestIndex = std::uint64_t(64) << 20;
constexpr const char* kIndexFile = "model.safetensors.index.json";

// The names of the files, each once. An index comes from elsewhere: no path in it leaves the
// folder.
std::set<std::string> files_named_in(const std::string& path) {
    const Json index = parse_json(read_file(path, kLargestIndex), path);
    std::set<std::string> names;
    for (const auto& [tensor, file] : index.at("weight_map").members()) {
        const std::string& name = file.text();
        if (name.empty() || name.find_first_of("/\\") != name.npos || name == "." || name == "..")
            fail({"%s: expected names of files in this folder, found %s for %s",
                  "%s：应是这个目录里的文件名，%3$s 却写着 %2$s"},
                 path, in_quotes(name), in_quotes(tensor));
        names.insert(name);
    }
    if (names.empty()) fail({"%s: it names no file", "%s：里面没有写任何文件"}, path);
    return names;
}

}  // namespace

ForeignWeights::ForeignWeights(const std::string& folder) {
    const std::filesystem::path path(folder);
    if (exists(path / "model.safetensors")) {
        files_.emplace_back((path / "model.safetensors").string());
    } else if (exists(path / kIndexFile)) {
        for (const std::string& name : files_named_in((path / kIndexFile).string()))
            files_.emplace_back((path / name).string());
    } else if (exists(path / "pytorch_model.bin")) {
        fail({"%s: pytorch_model.bin is a program, not data, and is not read; save the model as "
              "model.safetensors (save_pretrained does)",
              "%s：pytorch_model.bin 是程序而不是数据，不读取；请把模型存成 model.safetensors"
              "（save_pretrained 会这样存）"},
             folder);
    } else {
        fail({"%s: expected model.safetensors, found none", "%s：缺少 model.safetensors"}, folder);
    }
}

const SafetensorsFile* ForeignWeights::file_of(std::string_view name) const {
    for (const SafetensorsFile& file : files_)
        if (file.find(name)) return &file;
    return nullptr;
}

std::uint64_t ForeignWeights::bytes() const {
    std::uint64_t all = 0;
    for (const SafetensorsFile& file : files_) all += InputFile(file.path()).size();
    return all;
}

}  // namespace zhuyi
