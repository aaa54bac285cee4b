#!/bin/sh
# What recording the film costs: the beginning of a training with and without it, by turns; the median of each.
#
#     sh scripts/bench_film.sh [PROGRAM [CONFIG [STEPS [ROUNDS]]]]      default: build/zhuyi configs/stories.conf 200 3
#
# As many frames for each step as the whole training has. The time is that from the first step to the last checkpoint:
# report.html is made after it.
set -eu
cd "$(dirname "$0")/.."
program=${1:-build/zhuyi} config=${2:-configs/stories.conf} steps=${3:-200} rounds=${4:-3}
whole=$(sed -n 's/^steps *= *\([0-9]*\).*/\1/p' "$config")
frames=$((60 * steps / whole))
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

seconds() {  # seconds yes|no
    rm -rf "$folder/run"
    "$program" train "$config" --out "$folder/run" --steps "$steps" --eval-every "$steps" --history "$1" \
        --history-frames "$frames" 2>/dev/null
    stat -c %.9Y "$folder/run/first.safetensors" "$folder/run/last.safetensors" |
        awk 'NR == 1 { begin = $1 } END { print $1 - begin }'
}
median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

for round in $(seq "$rounds"); do
    seconds no >>"$folder/without"
    seconds yes >>"$folder/with"
done
echo "$(median "$folder/without") $(median "$folder/with")" | awk -v steps="$steps" -v frames="$frames" \
    '{ printf "%d steps: %.2f s; with %d frames of film %.2f s, %+.1f %%\n", steps, $1, frames, $2, 100 * ($2 / $1 - 1) }'
