#!/usr/bin/env bash
# Attacks on trainings, one after the other, until the time is over or so many are done: kills at a random moment, signals, full disks, failing
# disks that cannot be written or read, flipped bits, hostile texts, another text in the folder, comparisons over folders, edits of
# every key of run.conf, memory planned against its peak, links, pipes and folders under every name. After each attack --resume must give the bytes of a training
# that nothing disturbed, or the program must refuse with a message; never a crash, never a file of somebody else changed.
#
#     bash scripts/torture.sh [SECONDS] [SEED] [ATTACKS]        default: 600 seconds, a seed from the clock, no limit
#
# The seed is printed: with it the same attacks come in the same order, and the same bits are flipped. ZHUYI names the program (build/zhuyi),
# ATTACKS some of the attacks (below).
# The last line: torture: N passed, N failed.
set -u
cd "$(dirname "$0")/.."
seconds=${1:-600}
seed=${2:-$(date +%s)}
attacks_at_most=${3:-1000000}
zhuyi=${ZHUYI:-$PWD/build/zhuyi}
test -x "$zhuyi" || { echo "$zhuyi is not there: make"; exit 1; }
zhuyi=$(cd "$(dirname "$zhuyi")" && pwd)/${zhuyi##*/}
home=$(mktemp -d)
cd "$home" || exit 1  # run.conf then names the text without this folder, and is the same each time
trap 'rm -rf "$home"' EXIT
echo "torture: $seconds seconds, seed $seed"
state=$seed
passed=0
failed=0
SECONDS=0

draw() {  # draw NAME N: 0 to N - 1; Lehmer's generator, the same on every machine
    state=$(((state % 2147483646 + 1) * 48271 % 2147483647))
    printf -v "$1" %d $((state % $2))
}

printf '小猫坐在窗台上看雨。\n\n小沈阳江西演唱会。\n\n雨点打在玻璃上，像一群小鱼。\n\n月亮出来了。\n' > text.txt
for _ in {1..30}; do cat text.txt; printf '\n'; done > long.txt
sizes=(--channels 16 --heads 2 --layers 1 --batch 2 --context 16 --threads 1 --steps 24 --eval-every 6 --save-every 4
    --dropout 0.1 --history-frames 6 --warmup 2)
files='last.safetensors previous.safetensors best.safetensors first.safetensors metrics.csv samples.txt history.bin vocabulary.txt run.conf'

train() {  # train RUN MORE…: begins it, or goes on
    local run=$1
    shift
    timeout 120 "$zhuyi" train text.txt --out "$run" --resume "${sizes[@]}" "$@" > "$home/out" 2> "$home/err"
}

verdict() {  # verdict STATUS WHAT
    if test "$1" -eq 0; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $2 (seed $seed, attack $((passed + failed)))"
        tail -n 2 "$home/err" | sed 's/^/    /'
    fi
}

same() {  # same RUN: the bytes of the training that nothing disturbed
    local file
    for file in $files; do cmp -s "$home/whole/$file" "$1/$file" || { echo "    differs: $file"; return 1; }; done
}

answered() {  # answered STATUS: it ended by itself, with a message if it failed
    test "$1" -le 2 || return 1
    test "$1" -eq 0 || grep -aq '^zhuyi: ' "$home/err"
}

kills() {  # the process dies in a call that changes the disk, some times over
    local run=$home/run i call
    rm -rf "$run"
    for i in 1 2 3; do
        draw call 160
        (train "$run" --inject "kill@$((call + 1))"; true) 2> /dev/null
    done
    train "$run" && same "$run"
}
signals() {
    local run=$home/run name wait which
    rm -rf "$run"
    draw which 3
    draw wait 40
    name=$(set -- INT TERM HUP; shift "$which"; echo "$1")
    # `timeout` gives the signal, and no `kill` of a job: a job is this shell's own child until it has become the program, and a
    # signal that comes so early makes the child run the trap above, which removes every file of the attacks.
    timeout -s "$name" "0.$(printf %02d $((wait + 1)))" "$zhuyi" train text.txt --out "$run" "${sizes[@]}" > "$home/out" 2> "$home/err"
    train "$run" && same "$run"
}
disks() {  # full, failing, or writing half of what it is given
    local run=$home/run call which
    rm -rf "$run"
    draw call 160
    draw which 4
    train "$run" --inject "$(set -- enospc eio short unreadable; shift "$which"; echo "$1")@$((call + 1))"
    answered $? || return 1
    train "$run" && same "$run"
}
limits() {  # no file may be larger than so much
    local run=$home/run size status
    rm -rf "$run"
    draw size 100
    (ulimit -f $((size + 1)); train "$run")
    status=$?
    answered "$status" || return 1
    test "$status" -eq 0 || ! grep -aq 'may be failing' "$home/err" || return 1
    train "$run" && same "$run"
}
flips() {  # one bit of one file: what verify promises, --resume does; all who read it answer
    local run=$home/run file at size bit which byte
    rm -rf "$run"
    cp -r "$home/whole" "$run"
    draw which 9
    file=$(set -- $files; shift "$which"; echo "$1")
    size=$(wc -c < "$run/$file")
    draw at "$size"
    draw bit 8
    byte=$(od -An -tu1 -j "$at" -N 1 "$run/$file")
    printf "\\$(printf %03o $((byte ^ (1 << bit))))" | dd of="$run/$file" bs=1 seek="$at" conv=notrunc 2> /dev/null
    for what in "sample $run --tokens 4" "report $run --out $home/page.html --force" "runs $run"; do
        timeout 60 "$zhuyi" $what > "$home/out" 2> "$home/err"
        answered $? || return 1
    done
    kept "$run" --steps 25
}
texts() {  # bytes of any kind as a text, as a configuration and as probes
    local length status
    draw length 300
    for i in 1 2 3 4 5 6 7 8 9; do
        echo "$seed $length $i" | cksum
        printf '\000\033[2J\377小'
    done | head -c "$((length + 1))" > "$home/hostile.txt"
    cp "$home/hostile.txt" "$home/hostile.conf"
    for words in "train $home/hostile.txt --out $home/none --steps 1 --channels 8 --heads 1 --layers 1" \
        "train $home/hostile.conf --out $home/none" "data $home/hostile.txt" \
        "train text.txt --probes $home/hostile.txt --out $home/none --steps 1" "verify $home/hostile.txt"; do
        rm -rf "$home/none"
        timeout 60 "$zhuyi" $words > "$home/out" 2> "$home/err"
        answered $? || return 1
        ! LC_ALL=C grep -aq "$(printf '[\001-\010\013-\037]')" "$home/out" "$home/err" || return 1
    done
}
strangers() {  # files of the names that a run writes, which are somebody else's
    local run=$home/run which name
    rm -rf "$run"
    mkdir "$run"
    draw which 9
    name=$(set -- $files; shift "$which"; echo "$1")
    echo mine > "$run/$name"
    test "$name" = run.conf && return 0
    train "$run" && return 1
    answered 1 && test "$(cat "$run/$name")" = mine
}

# The deed is held against the word: what verify promises of RUN, --resume does, and nothing else.
kept() {  # kept RUN MORE…
    local run=$1 status promised text=()
    shift
    timeout 60 "$zhuyi" verify "$run" > "$home/promise" 2> "$home/err"
    test $? -le 1 || return 1
    promised=1
    grep -aq 'zhuyi train --resume' "$home/promise" && promised=0
    grep -aq 'add --data FILE' "$home/promise" && text=(--data text.txt)  # the text's name was changed
    timeout 60 "$zhuyi" train --resume "$run" "$@" ${text[@]+"${text[@]}"} > "$home/out" 2> "$home/err"
    status=$?
    answered "$status" || return 1
    test "$((status != 0))" -eq "$promised"
}
comparisons() {  # over a folder of texts, with --out anywhere: every variant reads the same text, and no file of it changes
    local texts=$home/texts where a b
    rm -rf "$texts" "$home/all"
    mkdir "$texts" "$texts/sub"
    cp text.txt "$texts/a.txt"
    draw where 4
    echo '雪落下来了。' > "$texts/sub/b.txt"
    draw a 3
    case $where in 0) where=$home/all ;; 1) where=$texts/all ;; 2) where=$texts ;; 3) where=$texts/sub ;; esac
    timeout 120 "$zhuyi" compare "$texts" --out "$where" --vary "seed=$((a + 1)),7" "${sizes[@]}" --steps 4 > "$home/out" 2> "$home/err"
    b=$?
    answered "$b" || return 1
    cmp -s text.txt "$texts/a.txt" || return 1
    test "$(cat "$texts/sub/b.txt")" = 雪落下来了。 || return 1
    test "$b" -eq 0 || return 0
    cmp -s "$where/seed=$((a + 1))/vocabulary.txt" "$where/seed=7/vocabulary.txt" || return 1
    timeout 120 "$zhuyi" train --resume "$where/seed=7" --steps 5 > "$home/out" 2> "$home/err"
}
edits() {  # one key of run.conf, another value
    local run=$home/run keys key value values
    rm -rf "$run"
    cp -r "$home/whole" "$run"
    keys=($(sed -n 's/^\([a-z_0-9]*\) = .*/\1/p' "$run/run.conf" | grep -v '^data$'))
    draw key ${#keys[@]}
    key=${keys[$key]}
    values=(0 1 2 3 7 -1 0.5 yes no '""' 小 龘 x 0:24 5:24 '"0:12, 12:24"' 100 none muon linear bpe '"a|b"' off block.0 embedding)
    draw value ${#values[@]}
    sed -i.before "s~^$key = .*~$key = ${values[$value]}~" "$run/run.conf"
    rm "$run/run.conf.before"
    kept "$run" || { echo "    $key = ${values[$value]}"; return 1; }
}
memory() {  # what train says it needs, and the peak of the process, where the system tells it
    local run=$home/run said peak=0 now channels layers
    test -r /proc/self/status || return 0
    rm -rf "$run"
    draw channels 4
    draw layers 3
    "$zhuyi" train long.txt --out "$run" --steps 3 --context 64 --batch 8 --heads 4 --threads 1 --channels $((64 * channels + 64)) \
        --layers $((layers + 1)) > "$home/out" 2> "$home/err" &
    while now=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' /proc/$!/status 2> /dev/null) && test -n "$now"; do peak=$now; done
    wait $! || return 1
    said=$(sed -n 's/^memory  *about \([0-9.]*\) MiB.*/\1/p' "$home/err")
    awk -v said="$said" -v peak="$peak" 'BEGIN {
        peak /= 1024; off = said > peak ? said - peak : peak - said
        if (off > 8 && off > 0.1 * peak) { print "    said " said " MiB, peak " peak; exit 1 } }'
}
names() {  # a link, a pipe or a folder under a name that a command writes: answered, and what the link leads to stays
    local run=$home/run which name kind where
    rm -rf "$run" "$home/elsewhere" "$home/place"
    mkdir "$home/place"
    echo mine > "$home/elsewhere"
    cp -r "$home/whole" "$run"
    draw which 19
    draw kind 4
    name=$(set -- $files probes.csv log.txt report.html damaged.safetensors page.html map.svg out.gguf hf compare.txt compare.html
        shift "$which"; echo "$1")
    test "$which" -lt 13 && where=$run/$name || where=$home/place/$name
    rm -f "$where"
    case $kind in
        0) ln -s "$home/elsewhere" "$where" ;;
        1) ln -s "$home/nothing" "$where" ;;
        2) mkfifo "$where" ;;
        3) mkdir "$where" && echo mine > "$where/mine" ;;
    esac
    case $name in
        page.html) set -- report "$run" --out "$where" ;;
        map.svg) set -- attend "$run" --text 小猫 --format svg --out "$where" ;;
        out.gguf) set -- export "$run" --to gguf "$where" ;;
        hf) set -- export "$run" --to hf "$where" ;;
        compare.*) set -- compare text.txt --vary seed=1,2 --out "$home/place" "${sizes[@]}" --steps 2 ;;
        *) set -- ;;
    esac
    if test $# -gt 0; then
        timeout 60 "$zhuyi" "$@" > "$home/out" 2> "$home/err"
        answered $? || { echo "    $name, kind $kind: no answer"; return 1; }
    else
        kept "$run" --steps 25 || { echo "    $name, kind $kind"; return 1; }
    fi
    test "$(cat "$home/elsewhere")" = mine || { echo "    $name, kind $kind: written through"; return 1; }
    test ! -e "$home/nothing" || { echo "    $name, kind $kind: written to nowhere"; return 1; }
}

train "$home/whole" || { cat "$home/err"; exit 1; }
read -ra attacks <<< "${ATTACKS:-kills signals disks limits flips edits texts strangers flips comparisons edits memory names}"
number=0
while test "$SECONDS" -lt "$seconds" && test "$number" -lt "$attacks_at_most"; do
    attack=${attacks[$((number % ${#attacks[@]}))]}
    "$attack"
    verdict $? "$attack"
    number=$((number + 1))
done
echo "torture: $passed passed, $failed failed"
test "$failed" -eq 0
