#!/bin/sh
# The page's product of matrices, src/film/page/gemm.c, as WebAssembly in text: src/film/page/gemm.js, with relaxed vectors and without.
# The same compiler (ziglang.sh) writes the same bytes everywhere.
#
#     gemm.sh            # writes gemm.js
#     gemm.sh compare    # says whether gemm.js holds what gemm.c says; exit status 77 where that compiler is missing
set -eu
cd "$(dirname "$0")/.."
page=src/film/page
zig=$(sh scripts/ziglang.sh ${1:+installed})
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
{
    echo '// gemm.c, compiled by scripts/gemm.sh: nothing here is written by hand. The first that the browser takes is the fastest.'
    echo
    echo 'export const kGemm = ['
    for vectors in simd128+relaxed_simd simd128; do
        $zig cc -target wasm32-freestanding -mcpu=generic+$vectors -O2 -nostdlib -fno-builtin \
            -Wl,--no-entry -Wl,--strip-all -Wl,--export=__heap_base -o "$folder/gemm.wasm" $page/gemm.c
        echo '    `'
        base64 -w 128 "$folder/gemm.wasm"
        echo '`,'
    done
    echo '];'
} > "$folder/gemm.js"
if test "${1:-}" = compare; then
    cmp "$folder/gemm.js" $page/gemm.js
else
    cp "$folder/gemm.js" $page/gemm.js
fi
