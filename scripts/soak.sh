#!/bin/sh
# A night's work in small: trains the demo's model, kills it (-9) at a random moment, looks at what it left (verify, sample,
# attend), goes on with --resume, and so on. A finished training must have the fingerprint of every other; then it begins anew.
# Notes the memory that each training held when it was killed.
#
#     sh scripts/soak.sh [MINUTES]      default 30; BUILD=folder as in the Makefile
#
# Exit code 1 if anything failed.
set -u
cd "$(dirname "$0")/.."
minutes=${1:-30}
build=${BUILD:-build}
soak=$build/soak
run=$soak/run
end=$(($(date +%s) + minutes * 60))
round=0 failures=0 finished=0 fingerprint= least= most=0
mkdir -p "$soak"
rm -rf "$run"

failed() {
    failures=$((failures + 1))
    echo "FAILED: $*"
    tail -n 5 "$soak/log"
    cp -R "$run" "$soak/failed_$failures"
}
try() { "$build/zhuyi" "$@" >"$soak/log" 2>&1 </dev/null || failed "zhuyi $*: exit code $?"; }

while [ "$(date +%s)" -lt "$end" ]; do
    round=$((round + 1))
    if [ -e "$run/run.conf" ]; then set -- train --resume "$run"; else set -- train configs/stories.conf --save-every 20 --out "$run"; fi
    "$build/zhuyi" "$@" >"$soak/log" 2>&1 </dev/null &
    process=$!
    while [ ! -e "$run/last.safetensors" ] && kill -0 $process 2>/dev/null; do sleep 1; done
    sleep $((2 + $(od -An -N1 -tu1 /dev/urandom) % 15)).$(($(od -An -N1 -tu1 /dev/urandom) % 10))
    memory=$(ps -o rss= -p $process | tr -d ' ')
    kill -9 $process 2>/dev/null
    wait $process 2>/dev/null
    status=$?
    if [ $status -eq 137 ]; then
        state=killed
        [ "${memory:-0}" -gt "$most" ] && most=$memory
        if [ -z "$least" ] || [ "$memory" -lt "$least" ]; then least=$memory; fi
    elif [ $status -eq 0 ]; then
        finished=$((finished + 1))
        state="done, fingerprint $(sed -n 's/.*fingerprint \([0-9a-f]*\).*/\1/p' "$soak/log")"
        [ "$state" = "${fingerprint:=$state}" ] || failed "another training had $fingerprint, this one is $state"
    else
        state="exit code $status"
        failed "zhuyi $*: $state"
    fi
    try verify "$run"
    try sample "$run" --prompt 小沈阳 --tokens 40 --seed $round
    try attend "$run" --text 小沈阳江西演唱会邀请了，
    echo "round $round: step $(tail -n 1 "$run/metrics.csv" | cut -d, -f1), $state, ${memory:-0} KiB"
    [ $status -eq 137 ] || rm -rf "$run"
done
echo "soak: $round rounds in $minutes minutes, $finished trainings to their end, memory $least to $most KiB, $failures failures"
[ $failures -eq 0 ]
