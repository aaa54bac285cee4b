
#include "interop/byte_alphabet.h"
#include "interop/hugging_face.h"
#include "text/byte_pair.h"

namespace zhuyi {

// tokenizer.json as we write it; hugging_face_tokenizer_reader.cpp reads those of others.

namespace {

Json end_of_text_entry(Index id) {
    Json entry;
    entry.set("id", id).set("content", kEndOfTextName);
    for (const char* flag : {"single_word", "lstrip", "rstrip", "normalized"})
        entry.set(flag, false);
    return entry.set("special", true);
}

Json bpe_model(Json vocabulary, Json merges, bool byte_fallback) {
    Json model;
    model.set("type", "BPE").set("dropout", Json()).set("unk_token", Json());
    model.set("continuing_subword_prefix", Json()).set("end_of_word_suffix", Json());
    model.set("fuse_unk", false).set("byte_fallback", byte_fallback).set("ignore_merges", false);
    return model.set("vocab", std::move(vocabulary)).set("merges", std::move(merges));
}

// Without a pre-tokenizer the whole text is one word; without merges a word is its characters; and
// a character without a token is its bytes.
void describe_characters(Json& json, const Tokenizer& tokenizer) {
    Json::Object vocabulary;
    for (Token token = 0; token < tokenizer.size(); ++token) {
        const int byte = token - CharacterTokenizer::kFirstByte;
        std::string name = token == tokenizer.end_of_text() ? std::string(kEndOfTextName)
                           : token < CharacterTokenizer::kFirstCharacter
                               ? byte_fallback_name(static_cast<unsigned char>(byte))
                               : std::string(tokenizer.bytes(token));
        vocabulary.emplace_back(std::move(name), Index(token));
    }
    Json decoders;
    decoders.push(Json().set("type", "ByteFallback")).push(Json().set("type", "Fuse"));
    json.set("pre_tokenizer", Json()).set("post_processor", Json());
    json.set("decoder", Json().set("type", "Sequence").set("decoders", decoders));
    json.set("model", bpe_model(vocabulary, Json::Array(), true));
}

void describe_byte_pairs(Json& json, const BytePairTokenizer& tokenizer) {
    Json::Object vocabulary;
    for (Token token = 0; token < tokenizer.size(); ++token)
        if (token == tokenizer.end_of_text())
            vocabulary.emplace_back(kEndOfTextName, Index(token));
        else if (const std::string_view bytes = tokenizer.bytes(token); !bytes.empty())
            vocabulary.emplace_back(in_byte_alphabet(bytes), Index(token));
    Json::Array merges;
    for (const auto& [left, right] : tokenizer.merges())
        merges.push_back(in_byte_alphabet(tokenizer.bytes(left)) + " " +
                         in_byte_alphabet(tokenizer.bytes(right)));
    Json byte_level;
    byte_level.set("type", "ByteLevel").set("add_prefix_space", false);
    byte_level.set("trim_offsets", true).set("use_regex", true);
    json.set("pre_tokenizer", byte_level).set("post_processor", Json());
    json.set("decoder", byte_level);
    json.set("model", bpe_model(vocabulary, merges, false));
}

}  // namespace

Json hugging_face_tokenizer(const Tokenizer& tokenizer) {
    Json json;
    json.set("version", "1.0").set("truncation", Json()).set("padding", Json());
    json.set("added_tokens", Json().push(end_of_text_entry(tokenizer.end_of_text())));
    json.set("normalizer", Json());
    if (const auto* byte_pairs = dynamic_cast<const BytePairTokenizer*>(&tokenizer))
        describe_byte_pairs(json, *byte_pairs);
    else
        describe_characters(json, tokenizer);
    return json;
}

}  // namespace zhuyi
