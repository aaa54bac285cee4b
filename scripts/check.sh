#!/bin/sh
# The parts of `make check`, which calls this with MAKE, BUILD and WERROR. Every part says whether it passed, also after one that
# did not.
#
#     check.sh PART ...
cd "$(dirname "$0")/.."
export LC_ALL=C.UTF-8
sources() { find src tests -name '*.h' -o -name '*.cpp' | sort; }

# Lines of more than 100 columns are found apart: clang-format leaves comments alone.
format() { sources | xargs clang-format --dry-run -Werror && ! sources | xargs grep -nE '^.{101,}'; }
# (That the page has one global name alone is tested in a browser, which runs it: tests/browser.)
page() {
    clang-format --dry-run -Werror src/film/page/*.js && ! grep -nE '^.{131,}' src/film/page/*.js || return 1
    wc -l src/film/page/*.js | awk '$2 != "total" && $1 >= 250 { print $2 " has " $1 " lines"; bad = 1 } END { exit bad }'
}
layers() { sh scripts/check_layers.sh; }
sizes() { sh scripts/check_sizes.sh; }
# A short list of checks (.clang-tidy), where clang-tidy is installed.
tidy() {
    if ! command -v clang-tidy >/dev/null; then
        echo 'check tidy: clang-tidy is not installed, so nothing was checked'
        return 0
    fi
    find "$BUILD/units/src" -name '*.cpp' | xargs -n 1 -P "$(getconf _NPROCESSORS_ONLN)" \
        sh -c 'clang-tidy --quiet "$0" -- -std=c++20 -Isrc -I. 2>/dev/null'
}
# Where warnings already are errors in BUILD, its objects are the proof; elsewhere a folder of its own.
gcc() {
    own=$BUILD
    test -n "$WERROR" || own=$BUILD/check_g++
    $MAKE -k CXX=g++ WERROR=-Werror BUILD="$own" compile
}
# The program as clang++ makes it, with the golden fingerprints; of the tests clang++ says what it thinks, and that is enough.
clang() {
    $MAKE "$BUILD/test_float" && $MAKE -k CXX=clang++ WERROR=-Werror BUILD="$BUILD/check_clang++" all read-tests &&
        ZHUYI_BINARY=$(cd "$BUILD" && pwd)/check_clang++/zhuyi "$BUILD/test_float" --test-case='golden fingerprint*'
}
# The kernels of different instruction sets must share no function.
kernels() { $MAKE all && sh scripts/check_instruction_sets.sh "$BUILD"; }
readme() { $MAKE all && BUILD=$BUILD sh scripts/check_readme.sh; }

part() {
    case $1 in
        g++) gcc ;;
        clang++) clang ;;
        *) "$1" ;;
    esac
}
failed=
for name; do
    if part "$name"; then
        echo "check $name: passed"
    else
        echo "check $name: FAILED"
        failed=1
    fi
done
test -z "$failed"
