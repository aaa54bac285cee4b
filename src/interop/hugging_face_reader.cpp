// Reads a model from a Hugging Face folder.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/check.h"
#include "base/math.h"
#include "formats/safetensors.h"
#include "interop/foreign.h"
#include "interop/hugging_face.h"
#include "system/input_file.h"
#include "system/printable.h"
#include "text/vocabulary.h"

namespace zhuyi {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kLargestJson = std::uint64_t(64) << 20;
constexpr const char* kIndexFile = "model.safetensors.index.json";

// The names of the files, each once. An index comes from elsewhere: no path in it leaves the
// folder.
std::set<std::string> files_named_in(const std::string& path) {
    const Json index = parse_json(read_file(path, kLargestJson), path);
    std::map<std::string, std::string> map;  // the file of each tensor
    try {
        for (const auto& [tensor, file] : index.at("weight_map").members())
            map[tensor] = file.text();
    } catch (const Error& error) {
        fail({"%s: table weight_map: %s", "%s：weight_map 这张表：%s"}, path, error.what());
    }
    std::set<std::string> names;
    for (const auto& [tensor, name] : map) {
        constexpr std::string_view kNoName("/\\\0", 3);  // \0: what follows would be cut off
        if (name.empty() || name.find_first_of(kNoName) != name.npos || name == "." || name == "..")
            fail({"%s: expected names of files in this folder, found %s for %s",
                  "%s：应是这个目录里的文件名，%3$s 却写着 %2$s"},
                 path, in_quotes(name), in_quotes(tensor));
        names.insert(name);
    }
    if (names.empty()) fail({"%s: it names no file", "%s：里面没有写任何文件"}, path);
    return names;
}

// The weights of a folder: model.safetensors, or the files that model.safetensors.index.json names,
// each of them in the folder itself.
class ForeignWeights {
  public:
    explicit ForeignWeights(const fs::path& folder) {
        if (exists(folder / "model.safetensors"))
            files_.emplace_back((folder / "model.safetensors").string());
        else if (exists(folder / kIndexFile))
            for (const std::string& name : files_named_in((folder / kIndexFile).string()))
                files_.emplace_back((folder / name).string());
        else if (exists(folder / "pytorch_model.bin"))
            fail({"%s: pytorch_model.bin is a program, not data, and is not read; save the model "
                  "as model.safetensors (save_pretrained does)",
                  "%s：pytorch_model.bin 是程序而不是数据，不读取；请把模型存成 "
                  "model.safetensors（save_pretrained 会这样存）"},
                 folder.string());
        else
            fail({"%s: expected model.safetensors, found none", "%s：缺少 model.safetensors"},
                 folder.string());
    }
    // Returns null if no file has the tensor.
    const SafetensorsFile* file_of(std::string_view name) const {
        for (const SafetensorsFile& file : files_)
            if (file.find(name)) return &file;
        return nullptr;
    }
    const std::vector<SafetensorsFile>& files() const { return files_; }
    std::uint64_t bytes() const {  // of all files
        std::uint64_t all = 0;
        for (const SafetensorsFile& file : files_) all += InputFile(file.path()).size();
        return all;
    }

  private:
    std::vector<SafetensorsFile> files_;
};

// Only weights may be in the files, and the masks and frequencies that older versions saved with
// them.
void refuse_unknown(const ForeignWeights& weights, const std::set<std::string>& known) {
    for (const SafetensorsFile& file : weights.files())
        for (const SafetensorsEntry& entry : file.entries()) {
            bool constant = false;
            for (const char* end : {".attn.bias", ".attn.masked_bias", ".attention.bias",
                                    ".attention.masked_bias", ".rotary_emb.inv_freq"})
                constant = constant || entry.name.ends_with(end);
            if (!constant && !known.contains(entry.name))
                fail({"%s: the tensor %s does not belong to a model of this configuration",
                      "%s：这种配置的模型里没有张量 %s"},
                     file.path(), in_quotes(entry.name));
        }
}

// A model saved without its head lacks the first word of its names ("transformer.").
std::string name_in(const ForeignWeights& weights, const ForeignTensor& tensor) {
    const std::size_t word = tensor.name.find('.') + 1;
    const std::string bare = tensor.name.substr(word);
    return !weights.file_of(tensor.name) && weights.file_of(bare) ? bare : tensor.name;
}

// Fills our parameters, piece by piece: beside them no second model stands in memory.
class WeightReader {
  public:
    // `more_rows` says how many rows the token embedding there has beyond ours.
    WeightReader(const ForeignWeights& weights, const GptConfig& config, Index more_rows,
                 Parameters& parameters)
        : weights_(weights), config_(config), more_rows_(more_rows), parameters_(parameters) {}

    void read() {
        for (const ForeignTensor& tensor : foreign_tensors(config_, Program::hugging_face))
            read(tensor);
        check_tied_head();
        refuse_unknown(weights_, known_);
    }

  private:
    static constexpr Index kPiece = Index(1) << 20;  // numbers

    const SafetensorsFile& file_with(const std::string& name) const {
        const SafetensorsFile* file = weights_.file_of(name);
        return file ? *file : weights_.files().front();  // which says that it has none
    }

    // The shape that the tensor must have there.
    std::vector<Index> shape_of(const ForeignTensor& tensor) const {
        std::vector<Index> shape = tensor.shape();
        const bool of_tokens =
            tensor.sources[0] == "embedding.token" || tensor.sources[0] == "head.W";
        if (of_tokens) shape[0] += more_rows_;
        return shape;
    }

    void read(const ForeignTensor& tensor) {
        const std::string name = name_in(weights_, tensor);
        known_.insert(name);
        const SafetensorsFile& file = file_with(name);
        const SafetensorsEntry& entry = file.at(name);
        if (const std::vector<Index> shape = shape_of(tensor); entry.shape != shape)
            fail({"%s: %s has shape %s, config.json asks for %s",
                  "%s：%s 的形状是 %s，按 config.json 应为 %s"},
                 file.path(), name, shape_text(entry.shape), shape_text(shape));
        List<Real*> ours;
        for (const std::string& source : tensor.sources)
            ours.push_back(parameters_.tensor(source).value);
        // A tensor of several of ours is one of a block, and small beside the model.
        const bool whole = ours.count() > 1;
        const Index size = tensor.size(), piece = whole ? size : std::min(size, kPiece);
        List<Real> values;
        values.resize(std::size_t(piece));
        for (Index from = 0; from < size; from += piece) {
            const View<Real> part = View<Real>(values).part(0, std::min(piece, size - from));
            file.read_numbers(name, from, part);
            if (const auto bad = first_not_finite(part))
                fail({"%s: number %td of tensor %s is %g; a model with such weights computes "
                      "nothing",
                      "%s：张量 %3$s 的第 %2$td 个数是 %4$g；有这样的权重，模型什么也算不出来"},
                     file.path(), from + *bad, in_quotes(name), double(part[*bad]));
            if (whole)
                tensor.for_each_number(
                    [&](Index source, Index i, Index at) { ours[source][i] = part[at]; });
            else
                for (Index k = 0; k < part.count(); ++k)
                    ours[0][tensor.index_here(from + k)] = part[k];
        }
    }

    void check_tied_head() {
        const char* head = head_name(config_);
        const SafetensorsFile* file = weights_.file_of(head);
        if (!config_.tied || !file) return;
        known_.insert(head);
        const Tensor E = parameters_.tensor("embedding.token");
        std::vector<Real> values;
        bool same = file->at(head).size() >= E.size();
        for (Index from = 0; same && from < E.size(); from += kPiece) {
            values.resize(std::size_t(std::min(kPiece, E.size() - from)));
            file->read_numbers(head, from, values);
            same = std::equal(values.begin(), values.end(), E.value + from);
        }
        if (!same)
            fail({"%s: %s is not the token embedding, but config.json says tie_word_embeddings = "
                  "true",
                  "%s：%s 与词向量表不同，但 config.json 写着 tie_word_embeddings = true"},
                 file->path(), head);
    }

    const ForeignWeights& weights_;
    const GptConfig& config_;
    const Index more_rows_;
    Parameters& parameters_;
    std::set<std::string> known_;
};

GptConfig read_sizes(const std::string& folder) {
    const std::string path = (fs::path(folder) / "config.json").string();
    if (!fs::exists(folder)) fail({"%s: there is no such folder", "%s：没有这个目录"}, folder);
    if (!fs::exists(path))
        fail({"%s: no folder of a Hugging Face model (it has no config.json)",
              "%s：不是 Hugging Face 模型的目录（没有 config.json）"},
             folder);
    const Json config = parse_json(read_file(path, kLargestJson), path);
    try {
        return config_from_hugging_face(config);
    } catch (const Error& error) {
        fail({"%s: %s", "%s：%s"}, path, error.what());
    }
}

// Of a folder, of one file of it (DIR/tokenizer.json), or of a run.
std::unique_ptr<Tokenizer> tokenizer_from(const std::string& from, Index rows, std::string& lost) {
    const std::string name = fs::path(from).filename().string();
    const bool inside = name == "tokenizer.json" || name == "vocab.json" || name == "merges.txt";
    if (inside && fs::is_regular_file(from)) {
        const fs::path folder = fs::path(from).parent_path();
        return read_hugging_face_tokenizer(folder.empty() ? "." : folder.string(), rows, lost);
    }
    const bool ours = !fs::is_directory(from) || fs::exists(fs::path(from) / kVocabularyFile);
    return ours ? read_tokenizer(from) : read_hugging_face_tokenizer(from, rows, lost);
}

}  // namespace

LoadedModel read_hugging_face(const std::string& folder, const std::string& tokenizer,
                              std::string* lost) {
    LoadedModel model;
    GptConfig sizes = read_sizes(folder);
    const std::string from = tokenizer.empty() ? folder : tokenizer;
    std::string said;
    model.tokenizer = tokenizer_from(from, sizes.vocabulary, said);
    const Index tokens = model.tokenizer->size(), more = sizes.vocabulary - tokens;
    if (more < 0)
        fail({"%s: the tokenizer has %td tokens, the model %td",
              "%s：分词器有 %td 个 token，模型有 %td 个"},
             from, tokens, sizes.vocabulary);
    if (more > 0)  // a vocabulary of characters: each row is one, and none is left over
        said += say(
            {"the model has %td rows and its tokenizer %td tokens: rows %td to %td, which no "
             "text spells, are dropped\n",
             "模型有 %td 行，分词器只有 %td 个 token：第 %td 到 %td 行拼不出任何文字，已去掉\n"},
            sizes.vocabulary, tokens, tokens, sizes.vocabulary - 1);
    sizes.vocabulary = tokens;
    const ForeignWeights weights(folder);
    // Before memory is allocated by the sizes of config.json: are the weights that long?
    const std::vector<Parameter> table = parameter_table(sizes);
    if (std::uint64_t(count(table)) > weights.bytes())
        fail({"%s: too short for the model that config.json describes",
              "%s：比 config.json 描述的模型短"},
             weights.files().front().path());
    model.parameters = std::make_unique<Parameters>(table, false);
    WeightReader(weights, sizes, more, *model.parameters).read();
    model.model = std::make_unique<Gpt>(sizes, *model.parameters);
    if (lost) *lost += said;
    return model;
}

}  // namespace zhuyi
