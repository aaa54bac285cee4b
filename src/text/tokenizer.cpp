#include "text/tokenizer.h"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "base/check.h"
#include "base/utf8.h"
#include "text/documents.h"
#include "text/vocabulary.h"

namespace zhuyi {

std::vector<Token> Tokenizer::encode(std::string_view text) const {
    std::vector<Token> tokens;
    append(tokens, text);
    return tokens;
}

std::string Tokenizer::decode(std::span<const Token> tokens) const {
    std::string text;
    for (Token token : tokens) text += bytes(token);
    return text;
}

std::string Tokenizer::name(Token token) const {
    if (token == end_of_text()) return std::string(kEndOfTextName);
    return bytes(token).empty() ? "⟨unused⟩" : escaped(bytes(token));
}

Index Tokenizer::characters(std::span<const Token> tokens) const {
    Index sum = 0;
    for (Token token : tokens) {
        if (token == end_of_text()) ++sum;
        for (char byte : bytes(token)) sum += (byte & 0xC0) != 0x80;  // not a continuation byte
    }
    return sum;
}

namespace {

// How often each code point occurs in the texts. A flat table for the plane that nearly all
// characters lie in.
class Counter {
  public:
    void add(char32_t code) { code < plane_.size() ? ++plane_[code] : ++rare_[code]; }

    std::vector<CharacterTokenizer::Character> seen() const {
        std::vector<CharacterTokenizer::Character> all;
        for (std::size_t code = 0; code < plane_.size(); ++code)
            if (plane_[code] > 0) all.push_back({char32_t(code), plane_[code]});
        for (const auto& [code, count] : rare_) all.push_back({code, count});
        return all;
    }

  private:
    std::vector<Index> plane_ = std::vector<Index>(0x10000);
    std::map<char32_t, Index> rare_;
};

}  // namespace

CharacterTokenizer CharacterTokenizer::from_texts(std::span<const std::string_view> texts,
                                                  Index min_count, Index ends) {
    Counter counter;
    List<Index> first_counts(kFirstCharacter, 0);
    const auto spell = [&](std::string_view bytes, Index times) {
        for (char byte : bytes)
            first_counts[kFirstByte + static_cast<unsigned char>(byte)] += times;
    };
    first_counts[kEndOfText] = ends;
    for (std::string_view text : texts)
        for (std::string_view character : utf8::Characters(text)) {
            const utf8::Front found = utf8::front(character);
            if (found.whole())
                counter.add(found.code);
            else
                spell(character, 1);
        }

    std::vector<Character> kept;
    for (const Character& character : counter.seen())
        if (character.count >= min_count && character.code != kNeverAToken)
            kept.push_back(character);
        else
            spell(utf8::encode(character.code), character.count);
    std::stable_sort(kept.begin(), kept.end(), [](const Character& a, const Character& b) {
        return a.count > b.count;  // they come by code point, and equal counts stay so
    });
    return CharacterTokenizer(std::move(kept), std::move(first_counts));
}

CharacterTokenizer::CharacterTokenizer(std::vector<Character> characters,
                                       std::vector<Index> first_counts)
    : characters_(std::move(characters)), counts_(std::move(first_counts)) {
    require(counts_.count() == kFirstCharacter, "a vocabulary begins with 257 counts");
    bytes_begin_ = {0, 0};
    for (int byte = 0; byte < 256; ++byte) {
        bytes_ += static_cast<char>(byte);
        bytes_begin_.push_back(bytes_.size());
    }
    char32_t largest = 0;
    for (const Character& character : characters_) largest = std::max(largest, character.code);
    token_of_.assign(std::size_t(largest) + 1, -1);
    for (std::size_t i = 0; i < characters_.size(); ++i) {
        const char32_t code = characters_[i].code;
        const std::string text = utf8::encode(code);
        if (code == kNeverAToken)
            fail({"U+2581 ▁ cannot have a token of its own: other programs write the space as ▁",
                  "U+2581 ▁ 不能有自己的 token：别的程序用它表示空格"});
        if (token_of_[code] >= 0)
            fail({"the character %s stands twice in the vocabulary, as token %d and as token %zu",
                  "字符 %s 在词表里出现了两次：token %d 和 token %zu"},
                 escaped(text), token_of_[code], kFirstCharacter + i);
        token_of_[code] = kFirstCharacter + Token(i);
        counts_.push_back(characters_[i].count);
        bytes_ += text;
        bytes_begin_.push_back(bytes_.size());
    }
}

void CharacterTokenizer::append(std::vector<Token>& tokens, std::string_view text) const {
    while (!text.empty()) {
        const utf8::Front found = utf8::front(text);
        const Token token = found.whole() ? token_of(found.code) : -1;
        if (token >= 0)
            tokens.push_back(token);
        else
            for (const char byte : text.substr(0, found.length))
                tokens.push_back(kFirstByte + static_cast<unsigned char>(byte));
        text.remove_prefix(found.length);
    }
}

std::string_view CharacterTokenizer::bytes(Token token) const {
    const std::size_t begin = bytes_begin_[token];
    return std::string_view(bytes_).substr(begin, bytes_begin_[token + 1] - begin);
}

std::string CharacterTokenizer::vocabulary_file() const {
    return vocabulary_lines(*this, "characters");
}

void require_utf8(std::string_view text, const std::string& option) {
    if (const auto fault = utf8::first_error(text))
        fail_usage({"%s is not UTF-8: byte %td %s", "%s 不是 UTF-8：第 %td 个字节 %s"}, option,
                   *fault, fault_of(text.substr(std::size_t(*fault))));
}

std::vector<Token> typed_text(const Tokenizer& tokenizer, std::string_view text, Index context,
                              const char* option) {
    if (text.empty())
        fail_usage({"%s: expected at least one character, found none; for example %s 小猫",
                    "%s：至少要有一个字符，现在是空的；例如 %s 小猫"},
                   option, option);
    require_utf8(text, option);
    std::vector<Token> tokens = tokenizer.encode(text);
    if (std::ssize(tokens) > context)
        fail_usage({"%s has %zu tokens, but this model's context is %td: give a shorter text",
                    "%s 有 %zu 个 token，而这个模型的上下文长度是 %td：请换一段短一些的文字"},
                   option, tokens.size(), context);
    return tokens;
}

// What stands beside it is typed for it by mistake: half-width signs, traditional characters.
constexpr std::string_view kLookAlikes =
    ",，.。?？!！:：;；(（)）\"“\"”'‘'’~～…。-—"
    "說说來来喫吃陽阳個个紅红陳陈師师問问強强過过華华張张後后裏里給给見见謝谢會会麼么黃黄藍蓝"
    "飯饭愛爱蘋苹兒儿頭头還还兩两貓猫樹树長长點点帶带圓圆邊边沒没輕轻圍围塊块書书場场雞鸡滾滚"
    "餅饼筆笔魚鱼車车鉛铅鳥鸟傘伞綿绵們们條条門门爺爷雲云從从開开頂顶買买風风樂乐葉叶這这請请"
    "興兴價价數数種种極极歡欢處处對对園园團团蟲虫幾几嗎吗飛飞貝贝餃饺壞坏媽妈軟软誰谁聲声訴诉"
    "揮挥餵喂錢钱漲涨蘿萝寫写話话顏颜學学東东剛刚進进聽听搖摇廚厨餓饿寶宝雙双時时難难賣卖淚泪"
    "銀银爲为馬马湯汤賽赛閃闪動动畫画饅馒電电籃篮熱热釣钓臺台遊游箏筝結结濟济飽饱樣样丟丢紙纸"
    "講讲讓让靜静陝陕橋桥鮮鲜臘腊煙烟別别氣气覺觉趕赶贏赢燈灯醫医針针糉粽變变腳脚輸输響响臉脸"
    "郵邮轉转間间遠远機机鍋锅聞闻當当認认鴨鸭總总牀床發发錯错課课經经現现牆墙滿满禮礼蓋盖線线"
    "綠绿夢梦卻却髒脏幫帮辦办換换掃扫連连隊队關关窩窝試试舊旧細细報报鵝鹅淨净記记螞蚂蟻蚁劉刘"
    "圖图鹽盐舉举掛挂夠够龜龟顆颗涼凉鍾钟撿捡許许幣币裝装樓楼輪轮鐵铁彎弯緊紧節节號号國国櫃柜"
    "盤盘烏乌襪袜曬晒該该斷断繩绳鵲鹊歲岁霧雾褲裤龍龙鄰邻壺壶嚇吓廣广終终層层識识頁页";

static std::u32string code_points(std::string_view text) {
    std::u32string codes;
    for (const std::string_view character : utf8::Characters(text))
        codes += utf8::front(character).code;
    return codes;
}

// The character of `known` that was probably meant by `code`, or 0.
static char32_t meant_by(char32_t code, const std::unordered_set<char32_t>& known) {
    static const std::u32string kPairs = code_points(kLookAlikes);
    for (std::size_t i = 0; i < kPairs.size(); ++i)  // neighbours 2k and 2k + 1 look alike
        if (kPairs[i] == code && known.contains(kPairs[i ^ 1])) return kPairs[i ^ 1];
    constexpr char32_t kWidth = 0xFEE0;  // from ! … ~ to the full-width ！ … ～
    for (const char32_t other : {code + kWidth, code - kWidth})
        if (code > ' ' && known.contains(other)) return other;
    return 0;
}

static std::unordered_set<char32_t> characters_met(const Tokenizer& tokenizer) {
    std::unordered_set<char32_t> met;
    for (Token token = 0; token < Token(tokenizer.size()); ++token)
        if (tokenizer.count(token) > 0)
            for (const char32_t code : code_points(tokenizer.bytes(token))) met.insert(code);
    return met;
}

std::string unseen_text(const Tokenizer& tokenizer, std::string_view text) {
    const std::unordered_set<char32_t> met = characters_met(tokenizer);
    std::u32string unseen;
    for (const std::string_view character : utf8::Characters(text)) {
        const char32_t code = utf8::front(character).code;
        const bool seen = code < ' ' || met.contains(code);  // a line break is no character to mend
        if (!seen && unseen.find(code) == unseen.npos) unseen += code;
    }
    if (unseen.empty() || met.empty()) return {};
    constexpr std::size_t kNamed = 3;
    std::string names;
    for (const char32_t code : unseen.substr(0, kNamed)) {
        if (!names.empty()) names += say({", ", "、"});
        const char32_t meant = meant_by(code, met);
        names += code == ' ' ? say({"a space (leave it out)", "空格（请去掉）"})
                             : "“" + escaped(utf8::encode(code)) + "”";
        if (meant) names += say({" (did you mean “%s”?)", "（是不是“%s”？）"}, utf8::encode(meant));
    }
    if (unseen.size() > kNamed)
        names += say({" and others, %zu in all", " 等，共 %zu 个字符"}, unseen.size());
    return say({"never, or hardly ever, in the training text: %s; the model knows nothing of that",
                "训练文本里没有或极少见：%s；模型不认识"},
               names);
}

Token single_token(const Tokenizer& tokenizer, std::string_view text) {
    const std::vector<Token> tokens = tokenizer.encode(text);
    if (tokens.size() == 1) return tokens[0];
    if (tokens.empty())
        fail_usage({"expected one character, found none", "应该给出一个字符，现在是空的"});
    // from the last: a newline's byte has the same name as its character, which is meant
    for (Token token = Token(tokenizer.size()); token-- > 0;)
        if (tokenizer.name(token) == text) return token;
    if (const std::string unseen = unseen_text(tokenizer, text); !unseen.empty())
        fail_usage({"%s; take another character", "%s，请换一个字"}, unseen);
    std::string names;
    for (Token token : tokens) names += " " + tokenizer.name(token);
    fail_usage(
        {"expected one character with a token of its own; '%s' is %zu tokens:%s; name one of them",
         "应该是一个字符，并且它自己就是一个 token；“%s”却是 %zu 个 token：%s；请只写其中一个"},
        text, tokens.size(), names);
}

}  // namespace zhuyi
