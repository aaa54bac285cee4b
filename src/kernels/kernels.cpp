#include "kernels/kernels.h"

#if defined(__x86_64__)
#    include <cpuid.h>
#endif

#include <cstdlib>

#include "base/check.h"

namespace zhuyi {

// The same source under other flags, instruction_set.cpp; the double build has the first one only.
// The Makefile says which of the others are there (ZHUYI_HAS_…).
namespace portable {
extern const Kernels table;
}
namespace avx2 {
extern const Kernels table;
}
namespace avx512 {
extern const Kernels table;
}
namespace avx512bf16 {
extern const Kernels table;  // the products alone
}

namespace {

// The best one first. All of them give the same bits, so what a machine has decides nothing but
// speed.
constexpr const char* kNames[] = {"avx512bf16", "avx512", "avx2", "portable"};

#if defined(__x86_64__)
// Are these bits set in what CPUID answers (Intel's manual, volume 2)? `word`: 0 is eax, 3 is edx.
// (__builtin_cpu_supports asks the same, but in the libraries of some compilers it always says no.)
bool says(unsigned leaf, unsigned part, int word, unsigned bits) {
    unsigned answer[4] = {};
    return __get_cpuid_count(leaf, part, &answer[0], &answer[1], &answer[2], &answer[3]) &&
           (answer[word] & bits) == bits;
}

// Does the system save these registers when it switches threads? 6: of 256 bits; 0xe6: of 512, too.
bool saves(unsigned registers) {
    if (!says(1, 0, 2, bit_OSXSAVE)) return false;
    unsigned low = 0, high = 0;
    asm("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low & registers) == registers;
}

#    ifdef ZHUYI_HAS_avx512bf16
// AVX-512, with its products by the instructions of AVX512_BF16. (Not in the double build.)
[[maybe_unused]] const Kernels& avx512_with_bf16() {
    static const Kernels all = [] {
        Kernels table = avx512::table;
        table.name = avx512bf16::table.name;
        table.gemm = avx512bf16::table.gemm;
        table.gemms = avx512bf16::table.gemms;
        return table;
    }();
    return all;
}
#    endif
#endif

// Intel's cores have AVX512_BF16 and take longer for a dot product of pairs than for two fused
// multiply-adds (its speed is in AMX, which sums in another order); AMD's take half as long.
bool pays([[maybe_unused]] const std::string& name) {
#if defined(__x86_64__)
    return name != "avx512bf16" || says(0, 0, 2, signature_AMD_ecx);
#else
    return true;
#endif
}

}  // namespace

const Kernels* kernels_named(const std::string& name) {
    if (name == "portable") return &portable::table;
#if defined(__x86_64__)
    if constexpr (sizeof(Real) == sizeof(float)) {
        [[maybe_unused]] const bool has_avx2 =
            saves(6) && says(1, 0, 2, bit_FMA) && says(7, 0, 1, bit_AVX2);
        [[maybe_unused]] const bool has_avx512 =
            has_avx2 && saves(0xe6) &&
            says(7, 0, 1, bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL);
#    ifdef ZHUYI_HAS_avx2
        if (name == "avx2" && has_avx2) return &avx2::table;
#    endif
#    ifdef ZHUYI_HAS_avx512
        if (name == "avx512" && has_avx512) return &avx512::table;
#    endif
#    ifdef ZHUYI_HAS_avx512bf16
        if (name == "avx512bf16" && has_avx512 && says(7, 1, 0, bit_AVX512BF16))
            return &avx512_with_bf16();
#    endif
    }
#endif
    return nullptr;
}

const Kernels& choose_kernels(const std::string& wanted) {
    std::string names;
    for (const char* name : kNames)
        if (const Kernels* table = kernels_named(name)) {
            if (wanted.empty() ? pays(name) : wanted == name) return *table;
            names += names.empty() ? name : std::string(", ") + name;
        }
    fail_usage({"ZHUYI_ISA=%s: no such instruction set here; this machine and this build have %s",
                "ZHUYI_ISA=%s：这里没有这个指令集；这台机器和这个程序有 %s"},
               wanted, names);
}

const Kernels& kernels() {
    static const Kernels& chosen = []() -> const Kernels& {
        const char* wanted = std::getenv("ZHUYI_ISA");
        return choose_kernels(wanted ? wanted : "");
    }();
    return chosen;
}

}  // namespace zhuyi
