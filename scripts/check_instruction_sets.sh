#!/bin/sh
# No function of a kernel object may be one that other objects have too: the linker keeps a single copy, and if it
# keeps the one compiled for AVX-512, the program dies on a processor without it (src/kernels/lanes.h).
#
#     check_instruction_sets.sh BUILD        looks at BUILD/*/kernels.*.o
set -eu
build=${1:-build}
found=0
for object in "$build"/float/kernels.*.o "$build"/double/kernels.*.o; do
    [ -e "$object" ] || continue
    found=1
    shared=$(nm -C "$object" | grep -E ' [WVu] ' || true)
    if [ -n "$shared" ]; then
        echo "$object shares these with other objects; make them local to it:" >&2
        echo "$shared" >&2
        exit 1
    fi
done
if [ "$found" = 0 ]; then
    echo "$build holds no kernel objects; run make first" >&2
    exit 1
fi
