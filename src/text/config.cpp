#include "text/config.h"

#include "system/options.h"

namespace zhuyi {
constexpr Index kFewestBytePairs = 257;  // no pair is joined
constexpr Index kMostBytePairs = 1 << 22;

void declare(Options& options, TextOptions& text) {
    options.add("data", text.data, "",
                {"the text to learn from: a file, or a folder of .txt files; UTF-8",
                 "训练文本：一个文件，或装着 .txt 文件的目录；UTF-8 编码"});
    options.never_empty();
    options.choice<Documents>("documents", text.documents,
                              {{"blank_line", Documents::blank_line}, {"file", Documents::file}},
                              {"what separates documents: blank lines, or each file is one",
                               "文档怎么分：用空行隔开，或一个文件算一篇"});
    options.choice<Split>(
        "split", text.split,
        {{"auto", Split::automatic}, {"hash", Split::hash}, {"tail", Split::tail}},
        {"what is kept for validation: a tenth of the documents (hash), or the last tenth of the "
         "text (tail); auto: hash from 20 documents on",
         "留作验证集的部分：十分之一的文档（hash），或全文最后十分之一（tail）；auto：有 20 "
         "篇以上时"
         "用 hash"});
    options.choice<TokenizerKind>(
        "tokenizer", text.tokenizer,
        {{"characters", TokenizerKind::characters}, {"bpe", TokenizerKind::bpe}},
        {"what a token is: a character, or bytes that often stand together (byte pair encoding)",
         "token 是什么：一个字符（characters），或经常相邻的一串字节（bpe，字节对编码）"});
    options.add("min_count", text.min_count, "times",
                {"characters: one seen less often in the training part is spelt in bytes",
                 "characters：在训练集里出现次数比这还少的字符，用字节来拼"},
                1);
    options.add("bpe_vocabulary", text.bpe_vocabulary, "tokens",
                {"bpe: how many tokens there are, the 256 bytes and the end of text among them",
                 "bpe：词表大小，其中包括 256 个字节和文档结尾"},
                kFewestBytePairs, kMostBytePairs);
}

}  // namespace zhuyi
