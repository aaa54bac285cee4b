// The contract: the same configuration and text give the same weights, bit for bit, whoever runs
// it. Three steps of a model that is just large enough to be cut into tasks, with dropout, are
// trained in every way this machine can; `make check` does it once more with clang++'s program.
#include <doctest/doctest.h>

#include "support/program.h"

using namespace zhuyi;

namespace {

// What `zhuyi train` said when the numbers were last meant to change. A change of the mathematics
// changes them; a change of speed must not. To make them anew, take what the failing CHECK below
// has found.
struct Golden {
    std::string precision, position, optimizer, fingerprint;
};
const Golden kGolden[] = {{"fp32", "learned", "adamw", "20ebed21d6673516"},
                          {"bf16", "learned", "adamw", "c408da41539e2dce"},
                          {"fp32", "rotary", "adamw", "5db1b2d2d8166f3b"},
                          {"bf16", "rotary", "adamw", "612e97410b170929"},
                          {"fp32", "rotary", "muon", "73e3880160e922fe"},
                          {"bf16", "rotary", "muon", "2df64c30659fef9d"}};

std::string trained(const ScratchFolder& folder, const std::string& set, const Golden& golden,
                    int threads) {
    const std::string run = folder.path(set + golden.precision + golden.position +
                                        golden.optimizer + std::to_string(threads));
    const Outcome outcome = run_shell(
        "ZHUYI_ISA=" + set + " \"$ZHUYI\" train " + shell_quoted(folder.path("text.txt")) +
        " --out " + shell_quoted(run) +
        " --context 32 --channels 48 --heads 2 --layers 1 --batch 4 --steps 3" +
        " --dropout 0.1 --embedding-dropout 0 --weight-decay 0.1 --schedule cosine" +
        " --learning-rate 1e-3 --order random --tied --history off --min-count 1 --precision " +
        golden.precision + " --position " + golden.position + " --optimizer " + golden.optimizer +
        " --threads " + std::to_string(threads));
    if (outcome.code == 2 && outcome.err.find("ZHUYI_ISA") != std::string::npos) return "absent";
    const std::size_t at = outcome.err.find("fingerprint ");
    return at == std::string::npos ? outcome.err : outcome.err.substr(at + 12, 16);
}

}  // namespace

TEST_CASE("golden fingerprint: one for every thread count, instruction set and compiler") {
    const ScratchFolder folder;
    folder.write("text.txt",
                 "小猫坐在窗台上看雨，雨点打在玻璃上，像一群小鱼。它看了很久，想抓住一条。\n\n"
                 "小沈阳江西演唱会邀请了李华。李华看见张明，他笑了。\n\n"
                 "我去银行取钱，路上月亮出来了。猫吃鱼，鱼吃虾，虾吃水草。\n\n"
                 "妈妈把灯关了，屋里很静，只有钟在走。\n");
    for (const Golden& golden : kGolden)
        for (const char* set : {"portable", "avx2", "avx512", "avx512bf16"})
            for (int threads : {1, 2, 3, 5}) {
                CAPTURE(std::string(set));
                CAPTURE(golden.precision);
                CAPTURE(golden.position);
                CAPTURE(golden.optimizer);
                CAPTURE(threads);
                const std::string found = trained(folder, set, golden, threads);
                if (found == "absent") break;  // this machine has it not
                CHECK(found == golden.fingerprint);
            }
}
