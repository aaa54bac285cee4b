#!/bin/sh
# A night's work in small: trains the demo's model, kills it (-9) at a random moment, looks at what it left (verify, sample,
# attend), goes on with --resume, and so on. A finished training must have the fingerprint of every other; then it begins anew.
# Now and then it is killed at once, before it has saved anything. Notes the memory that each resumed training held when it was
# killed: the median of the last third may be 1.5 times that of the first third, no more.
#
#     sh scripts/soak.sh [MINUTES]      default 30; BUILD=folder as in the Makefile
#
# Exit code 1 if anything failed, or if memory grew.
set -u
cd "$(dirname "$0")/.."
minutes=${1:-30}
build=${BUILD:-build}
soak=$build/soak
run=$soak/run
end=$(($(date +%s) + minutes * 60))
round=0 failures=0 finished=0 unsaved=0 fingerprint=
mkdir -p "$soak"
rm -rf "$run"
: >"$soak/memory"

failed() {
    failures=$((failures + 1))
    echo "FAILED: $*"
    tail -n 5 "$soak/log"
    if [ -e "$run" ]; then cp -R "$run" "$soak/failed_$failures"; fi
}
random() { od -An -N2 -tu2 /dev/urandom | tr -d ' '; }
median() { sort -n | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'; }
try() { "$build/zhuyi" "$@" >"$soak/log" 2>&1 </dev/null || failed "zhuyi $*: exit code $?"; }

while [ "$(date +%s)" -lt "$end" ]; do
    round=$((round + 1))
    kind=new
    set -- train configs/stories.conf --save-every 20 --out "$run"
    if [ -e "$run/run.conf" ]; then
        kind=resumed
        set -- train --resume "$run"
    fi
    "$build/zhuyi" "$@" >"$soak/log" 2>&1 </dev/null &
    process=$!
    if [ $round -eq 1 ] || [ $(($(random) % 4)) -eq 0 ]; then
        kind=young
        sleep $(($(random) % 2)).$(($(random) % 10))
    else
        while [ ! -e "$run/last.safetensors" ] && kill -0 $process 2>/dev/null; do sleep 1; done
        sleep $((2 + $(random) % 15)).$(($(random) % 10))
    fi
    memory=$(ps -o rss= -p $process | tr -d ' ')
    kill -9 $process 2>/dev/null
    wait $process 2>/dev/null
    status=$?
    if [ $status -eq 137 ]; then
        state=killed
        [ $kind = resumed ] && [ -n "$memory" ] && echo "$memory" >>"$soak/memory"
    elif [ $status -eq 0 ]; then
        finished=$((finished + 1))
        state="done, fingerprint $(sed -n 's/.*fingerprint \([0-9a-f]*\).*/\1/p' "$soak/log")"
        [ "$state" = "${fingerprint:=$state}" ] || failed "another training had $fingerprint, this one is $state"
    else
        state="exit code $status"
        failed "zhuyi $*: $state"
    fi
    if [ -e "$run/last.safetensors" ]; then
        try verify "$run"
        try sample "$run" --prompt 小沈阳 --tokens 40 --seed $round
        try attend "$run" --text 小沈阳江西演唱会邀请了，
    else # nothing is saved yet: that may be said, in order
        unsaved=$((unsaved + 1))
        "$build/zhuyi" verify "$run" >"$soak/log" 2>&1 </dev/null
        code=$?
        [ $code -le 1 ] && ! grep -q unexpected "$soak/log" || failed "zhuyi verify $run: exit code $code"
    fi
    echo "round $round: step $(tail -n 1 "$run/metrics.csv" 2>/dev/null | cut -d, -f1), $kind, $state, ${memory:-0} KiB"
    [ $status -eq 137 ] || rm -rf "$run"
done
third=$(($(wc -l <"$soak/memory") / 3))
if [ $third -gt 0 ]; then
    first=$(head -n $third "$soak/memory" | median)
    last=$(tail -n $third "$soak/memory" | median)
    echo "memory of resumed trainings: median of the first third $first KiB, of the last $last KiB; at most 1.5 times as much is right"
    [ $((last * 2)) -le $((first * 3)) ] || failed "memory grows"
fi
echo "soak: $round rounds in $minutes minutes, $finished trainings to their end, $unsaved killed before anything was saved, $failures failures"
[ $failures -eq 0 ]
