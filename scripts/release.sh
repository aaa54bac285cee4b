#!/bin/sh
# Makes, on Linux, what whoever has no compiler needs: for each platform an archive in build/release with the program, data/,
# configs/ and the README, and SHA256SUMS. One compiler makes them all (ziglang.sh), so the same commit gives the same bytes on
# every machine. Every program has all instruction sets of its processor and picks one when it starts.
#
#     release.sh [NAME ...]      linux-x86_64 linux-aarch64 windows-x86_64 macos-arm64 macos-x86_64; without a name, all
#     release.sh --tests NAME    builds the tests that check_release.sh runs there: build/NAME/test_float
set -eu
cd "$(dirname "$0")/.."
platforms='linux-x86_64 linux-aarch64 windows-x86_64 macos-arm64 macos-x86_64'
export TZ=UTC LC_ALL=C.UTF-8

zig=$(sh scripts/ziglang.sh)

target() {
    case $1 in
        linux-*) echo "${1#linux-}-linux-musl" ;;  # static: needs nothing of the system
        windows-*) echo "${1#windows-}-windows-gnu" ;;
        macos-arm64) echo aarch64-macos ;;
        macos-*) echo "${1#macos-}-macos" ;;
    esac
}

build() {  # build NAME WHAT ...: make of this platform
    name=$1
    shift
    links=-s
    if test "${name%-*}" = windows; then
        (cd scripts && echo '1 24 "zhuyi.manifest"' >../build/zhuyi.rc && $zig rc ../build/zhuyi.rc ../build/zhuyi.res)
        links='-s build/zhuyi.res -ladvapi32'
    fi
    # Sums of signed sizes are not watched here: that is what `make sanitize` is for.
    make BUILD="build/$name" CXX="$zig c++ -target $(target "$name") -fno-sanitize=undefined -isystem build/doctest" AR="$zig ar" LDFLAGS="$links" "$@"
}

if test "${1:-}" = --tests; then
    # The header alone: the folder where it lies has this system's headers, too.
    header=$(echo '#include <doctest/doctest.h>' | c++ -M -x c++ - | tr ' ' '\n' | grep 'doctest/doctest\.h$')
    mkdir -p build/doctest/doctest && cp "$header" build/doctest/doctest/
    tests=$(echo tests/kernels/*_test.cpp tests/ops/*_test.cpp tests/text/*_test.cpp tests/train/*_test.cpp tests/formats/*_test.cpp)
    # encoding_test.cpp writes encodings with iconv, which has few of them here or none
    tests=$(echo "$tests" | sed "s|tests/text/encoding_test.cpp||")
    build "$2" TESTS="$tests" "build/$2/test_float"
    exit 0
fi

when=$(git log -1 --format=%ct 2>/dev/null || echo 946684800)
export SOURCE_DATE_EPOCH="$when"  # in the header of a Windows program
mkdir -p build/release
for name in ${*:-$platforms}; do
    case " $platforms " in
        *" $name "*) ;;
        *) echo "release: expected one of $platforms, found $name" >&2; exit 2 ;;
    esac
    build "$name" "build/$name/zhuyi"
    folder=zhuyi-$name
    rm -rf "build/release/$folder"
    mkdir "build/release/$folder"
    cp -R data configs README.md "build/release/$folder"
    program=$folder/zhuyi
    test "${name%-*}" != windows || program=$program.exe
    install -m 755 "build/$name/zhuyi" "build/release/$program"
    # The same order, owners, modes and times everywhere.
    python3 - "$folder" "$when" <<'END'
import gzip, os, sys, tarfile, time, zipfile
os.chdir("build/release")
folder, when = sys.argv[1], int(sys.argv[2])
files = sorted(os.path.join(at, name) for at, _, names in os.walk(folder) for name in names)
mode = lambda file: 0o755 if os.path.basename(file) in ("zhuyi", "zhuyi.exe") else 0o644
if "windows" in folder:
    with zipfile.ZipFile(folder + ".zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for file in files:
            entry = zipfile.ZipInfo(file, time.gmtime(when)[:6])
            entry.external_attr, entry.compress_type, entry.create_system = mode(file) << 16, zipfile.ZIP_DEFLATED, 3
            archive.writestr(entry, open(file, "rb").read())
else:
    with open(folder + ".tar.gz", "wb") as raw, gzip.GzipFile("", "wb", 9, raw, when) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
            for file in files:
                entry = archive.gettarinfo(file)
                entry.uid = entry.gid = 0
                entry.uname = entry.gname = "root"
                entry.mtime, entry.mode = when, mode(file)
                archive.addfile(entry, open(file, "rb"))
END
    rm -rf "build/release/$folder"
done
cd build/release
sha256sum zhuyi-*.tar.gz zhuyi-*.zip 2>/dev/null >SHA256SUMS || true
cat SHA256SUMS
