#!/bin/sh
# What README.md promises, works: every block of commands is run, and must succeed.
#
#     ```sh                      commands: run in order, each block by `sh -e`, from the root of a copy of the project
#     <!-- not run: reason -->   on the line before a block: not run, and the reason is printed
#     ```text                    output, or anything else: never run
#
# The copy holds no runs/, so nobody's runs are touched, and uses this build. A block that stands twice (the README has
# two languages) is run once. Nothing is read from standard input.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
build=${BUILD:-build}
case $build in /*) ;; *) build=$root/$build ;; esac
if ! test -f README.md; then
    echo 'check_readme: there is no README.md' >&2
    exit 1
fi

unset BUILD MAKEFLAGS MFLAGS MAKELEVEL  # a `make` in the README is a person's, not a part of `make check`

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$scratch/copy" "$scratch/blocks"
if git rev-parse --git-dir >/dev/null 2>&1; then
    # Files that are removed but not yet committed are listed too.
    git ls-files -z --cached --others --exclude-standard |
        xargs -0 sh -c 'for file; do if test -f "$file"; then printf "%s\n" "$file"; fi; done' sh >"$scratch/files"
else
    find . -name build -prune -o -name runs -prune -o -type f -print >"$scratch/files"
fi
tar -cf - -T "$scratch/files" | (cd "$scratch/copy" && tar -xf -)
ln -s "$build" "$scratch/copy/build"

awk -v folder="$scratch/blocks" '
    inside && /^```[ \t]*$/ { inside = 0; close(file) }
    inside { print > file }
    !inside && /^```sh[ \t]*$/ {
        if (previous ~ /^<!-- not run: .* -->[ \t]*$/) { print "check_readme: line " NR " " previous; skipped++ }
        else { inside = 1; file = sprintf("%s/%04d", folder, NR) }
    }
    { previous = $0 }' README.md

count=0
for block in "$scratch"/blocks/*; do
    test -f "$block" || continue
    twin=
    for earlier in "$scratch"/blocks/*; do
        test "$earlier" = "$block" && break
        if cmp -s "$earlier" "$block"; then twin=$earlier; fi
    done
    test -z "$twin" || continue
    count=$((count + 1))
    line=$(basename "$block" | sed 's/^0*//')
    if ! (cd "$scratch/copy" && sh -e "$block") </dev/null >"$scratch/log" 2>&1; then
        echo "README.md:$line: these commands fail:" >&2
        sed 's/^/    /' "$block" >&2
        echo 'with' >&2
        tail -n 30 "$scratch/log" | sed 's/^/    /' >&2
        exit 1
    fi
done
echo "README.md: $count blocks of commands work"
