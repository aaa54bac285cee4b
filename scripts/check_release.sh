#!/bin/sh
# Tries what release.sh makes, on one Linux machine: the Linux archive in an empty folder that it takes for the whole system (chroot),
# the aarch64 one under qemu, the Windows one under wine. A training of 24 steps of the village is killed, resumed, sampled, attended
# and reported, in a folder and with a prompt of Chinese names: every file and every word must have the same bytes as here,
# but for log.txt, which has times and threads in it. Then the tests of kernels, ops, text, train and formats, built by the same compiler,
# and on Windows seventy attacks of torture.sh.
#
#     check_release.sh [NAME ...]      names as in release.sh; without a name, all. ZHUYI names the program of here (build/zhuyi)
#
# The last lines are the table of platforms of src/run/README.md. Makes what is missing in build/release; needs qemu-user-static
# and wine64 (or apt-get and root, with which it installs them).
set -u
cd "$(dirname "$0")/.."
export LC_ALL=C.UTF-8 TZ=UTC WINEPREFIX="$PWD/build/wine" WINEDEBUG=-all
platforms=${*:-linux-x86_64 linux-aarch64 windows-x86_64 macos-arm64 macos-x86_64}
here=${ZHUYI:-$PWD/build/zhuyi}
work=$PWD/build/release/tried
failed=0

# has PROGRAM PACKAGE: is it there, or can it be had?
has() {
    command -v "$1" >/dev/null || test -x "/usr/lib/wine/$1" || {
        test "$(id -u)" -eq 0 && command -v apt-get >/dev/null && apt-get update -q >/dev/null &&
            DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$2" >/dev/null
    } || { echo "check_release: expected $1, found none; install it (on Debian: apt-get install $2)" >&2; return 1; }
}

# on NAME PROGRAM ...: runs a program of this platform that lies in the current folder
on() {
    name=$1 program=$2
    shift 2
    case $name in
        here) "$here" "$@" ;;
        plain) "./$program" "$@" ;;  # the tests write files, and call a shell
        linux-x86_64)  # nothing of this system is to be seen
            if test "$(id -u)" -eq 0; then chroot . "/$program" "$@"; else unshare -r chroot . "/$program" "$@"; fi ;;
        linux-aarch64) qemu-aarch64-static "./$program" "$@" ;;
        windows-*) "$(command -v wine64 || echo /usr/lib/wine/wine64)" "./$program" "$@" ;;
    esac
}

# session NAME PROGRAM [KILL]: in the current folder. What it says and writes stays there.
session() {
    name=$1 program=$2 train="train configs/village.conf --out runs/村庄 --steps 24 --channels 48 --layers 2 --heads 2 --batch 4 --eval-every 12 --save-every 4 --eval-tokens 1024 --probes few.txt --resume"
    awk 'NR % 20 == 1' data/village_probes.txt >few.txt  # qemu is slow
    if test -n "${3:-}"; then
        # shellcheck disable=SC2086
        if on "$name" "$program" $train --inject "kill@$3" >killed.txt 2>&1; then echo "    was not killed"; return 1; fi
    fi
    # shellcheck disable=SC2086
    on "$name" "$program" $train >train.txt 2>&1 &&
        on "$name" "$program" sample runs/村庄 --prompt 小沈阳 --tokens 40 --lang zh >sampled.txt &&
        on "$name" "$program" attend runs/村庄 --text 张明喂小猫，他 --format json >attended.txt &&
        on "$name" "$program" report runs/村庄 --out 报告.html >reported.txt 2>&1 || { tail -n 3 ./*.txt; return 1; }
}

# bits NAME: unpacks the archive, runs the session and compares
bits() {
    rm -rf "$work/$1"
    mkdir -p "$work/$1"
    case $1 in
        windows-*) python3 -m zipfile -e "build/release/zhuyi-$1.zip" "$work/$1" && program=zhuyi.exe ;;
        *) tar -xzf "build/release/zhuyi-$1.tar.gz" -C "$work/$1" && program=zhuyi ;;
    esac || return 1
    (cd "$work/$1/zhuyi-$1" && session "$1" $program 60) || return 1
    same=0
    for file in $(cd "$work/here" && find runs 报告.html sampled.txt attended.txt -type f ! -name log.txt | sort); do
        if cmp -s "$work/here/$file" "$work/$1/zhuyi-$1/$file"; then same=$((same + 1)); else echo "    differs: $file"; return 1; fi
    done
    said="$same of $same files"
}

# suites NAME: the last line of the tests
suites() {
    sh scripts/release.sh --tests "$1" >"$work/$1.tests" 2>&1 || { tail -n 5 "$work/$1.tests"; return 1; }
    rm -rf "$work/test"
    mkdir "$work/test"
    cp -R data configs tests "$work/test"  # what tests read lies below the folder they run in
    cp "build/$1/test_float" "$work/test/test.exe"
    (cd "$work/test" && on "$([ "$1" = linux-x86_64 ] && echo plain || echo "$1")" test.exe) >>"$work/$1.tests" 2>&1
    status=$?
    said=$(sed -n 's/^\[doctest\] test cases: .* \([0-9][0-9]*\) passed .* \([0-9][0-9]*\) failed .*/\1 passed, \2 failed/p' "$work/$1.tests" | tail -n 1)
    test -n "$said" || said='ended without a word'
    test "$status" -eq 0 || { grep -aE 'ERROR|TEST CASE|FATAL' "$work/$1.tests" | head -n 20; return 1; }
}

# attacks NAME: those of torture.sh that another system can be given from here: no signals of ours, limits, links or pipes
attacks() {
    printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$(command -v wine64 || echo /usr/lib/wine/wine64)" "$work/$1/zhuyi-$1/zhuyi.exe" >"$work/$1.sh"
    chmod +x "$work/$1.sh"
    ATTACKS='kills disks flips edits texts strangers comparisons' ZHUYI="$work/$1.sh" bash scripts/torture.sh 1200 1 70 >"$work/$1.attacks" 2>&1
    status=$?
    attacked=", attacks $(sed -n 's/^torture: \([0-9]* passed, [0-9]* failed\)$/\1/p' "$work/$1.attacks")"
    test "$status" -eq 0 || { grep -a -A2 FAILED "$work/$1.attacks"; return 1; }
}

make "${here#"$PWD/"}" >/dev/null || exit 1
rm -rf "$work"
mkdir -p "$work/here"
cp -R data configs "$work/here"
(cd "$work/here" && session here "$here") || exit 1

table="$work/table.md"
printf '%s\n' '| platform | program | bits | tests | tried |' '| --- | --- | --- | --- | --- |' >"$table"
for name in $platforms; do
    archive=build/release/zhuyi-$name.$(case $name in windows-*) echo zip ;; *) echo tar.gz ;; esac)
    row="builds"
    if ! sh scripts/release.sh "$name" >"$work/$name.log" 2>&1; then
        tail -n 5 "$work/$name.log"
        failed=1
        echo "| $name | FAILED | | | |" >>"$table"
        continue
    fi
    row="$(($(wc -c <"$archive") / 1024)) KiB"
    how=
    case $name in
        linux-x86_64) how='in an empty chroot' ;;
        linux-aarch64) how='under qemu' && has qemu-aarch64-static qemu-user-static || how= ;;
        windows-*) how='under wine' && has wine64 wine64 || how= ;;
        *) row="$row | not tried | not tried | linked only" ;;
    esac
    case $name in
        macos-*) ;;
        *)
            if test -z "$how"; then
                row="$row | not tried | not tried | tools are missing"
                failed=1
            else
                said=
                if bits "$name"; then row="$row | equal, $said"; else row="$row | DIFFER"; failed=1; fi
                said=
                suites "$name" || failed=1
                attacked=
                case $name in windows-*) attacks "$name" || failed=1 ;; esac
                row="$row | $said$attacked | $how"
            fi ;;
    esac
    echo "$name: $row"
    echo "| $name | $row |" >>"$table"
done
cat "$table"
exit $failed
