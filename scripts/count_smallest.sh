#!/bin/sh
# ARM and x86 give other bits where a result lies below 2^-126 and rounds up to it (src/kernels/lanes_portable.h). Counts such
# results in whole trainings of the demo, of the stories and, if its text is given, of Shakespeare's plays, on one's own machine
# (with AVX; a step takes about five times as long as one does with AVX2): the program is linked once more, with kernels that look
# at each product, quotient and fused multiply-add. (That they count is tested in tests/kernels/lanes_test.cpp.)
#
#     count_smallest.sh [SHAKESPEARE.txt [STEPS]]      STEPS: all
set -eu
cd "$(dirname "$0")/.."
plays=${1:-} steps=${2:-} work=build/smallest failed=0
make build/zhuyi >/dev/null
rm -rf "$work"
mkdir "$work"
flags='-std=c++20 -O2 -ffp-contract=off -fno-math-errno -pthread -Isrc -Itests -DZHUYI_COUNT_SMALLEST -include support/smallest.h -DZHUYI_INSTRUCTION_SET=portable -mavx -mfma'
# shellcheck disable=SC2086
c++ $flags build/float/src/main.o src/kernels/instruction_set.cpp tests/support/smallest.cpp build/float/zhuyi.a -o "$work/zhuyi"
for name in village stories ${plays:+shakespeare}; do
    text=data/$name.txt
    test "$name" != shakespeare || text=$plays
    ZHUYI_ISA=portable "$work/zhuyi" train "configs/$name.conf" --data "$text" --out "$work/$name" ${steps:+--steps "$steps"} \
        --eval-tokens 1024 --probes '' --history=no >"$work/$name.txt" 2>&1 || { tail -n 3 "$work/$name.txt"; exit 1; }
    said=$(grep '^results of 2^-126' "$work/$name.txt") || { echo "$name: nothing was counted" >&2; exit 1; }
    echo "$name, $(tail -n 1 "$work/$name/metrics.csv" | cut -d, -f1) steps: $said"
    case $said in *': 0') ;; *) failed=1 ;; esac
done
exit $failed
