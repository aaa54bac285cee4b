#!/bin/sh
# Runs one fuzzer; `make fuzz` runs all. What it found interesting stays in BUILD/corpus, where the next run goes on; what it
# found wrong lies beside it.
#
#     fuzz.sh BUILD NAME SECONDS SEED        SEED 0: another one each time
set -eu
mkdir -p "$1/corpus/$2"
"$1/fuzz_$2" -seed="$4" -max_total_time="$3" -max_len=4096 -timeout=10 -rss_limit_mb=1024 -use_value_profile=1 \
    -artifact_prefix="$1/$2-" "$1/corpus/$2" "tests/fuzz/seeds/$2" >"$1/$2.log" 2>&1 || {
    tail -n 60 "$1/$2.log"
    exit 1
}
tail -n 1 "$1/$2.log"
