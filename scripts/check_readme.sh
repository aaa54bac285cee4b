#!/bin/sh
# What the documents say, is so: every block of commands is run, and must succeed; every file, folder, command and option that
# stands between backticks exists.
#
#     ```sh                      commands: run in order, each block by `sh -e`, from the root of a copy of the project
#     <!-- not run: reason -->   on the line before a block: not run, and the reason is printed
#     ```text                    output, or anything else: never run
#
# The copy holds no runs/, so nobody's runs are touched, and uses this build. All documents share it, in this order: the README
# makes the demo, which the others use. A block that stands twice is run once. Nothing is read from standard input.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
build=${BUILD:-build}
case $build in /*) ;; *) build=$root/$build ;; esac
documents='README.md configs/README.md data/README.md src/run/README.md src/README.md src/files.md'

unset BUILD MAKEFLAGS MFLAGS MAKELEVEL  # a `make` in a document is a person's, not a part of `make check`

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

# The files of the project, as paths from its root; what the program says of its commands and options.
commands=$("$build/zhuyi" --help --lang en | sed -n 's/^  \([a-z]*\)  .*/\1/p')
for command in $commands; do "$build/zhuyi" "$command" --help --lang en; done >"$scratch/help"
for document in $documents; do
    # `path/file.h`, `file.cpp`, `folder/`, [links](to/files), `--option …`, `zhuyi command …`; NAME stands for any name.
    grep -oE '`[a-zA-Z0-9_][a-zA-Z0-9_./]*`|`--[a-z][a-z-]+|`zhuyi [a-z]+|\]\([a-zA-Z0-9_./]+' "$document" | tr -d '`](' | sort -u |
        while read -r word rest; do
            case $word in
            *NAME*) ;;
            zhuyi) test -z "$rest" || printf '%s\n' "$commands" | grep -qx -- "$rest" || echo "$document: there is no command $rest" ;;
            --*) grep -qE -- "^ +$word([ =]|\$)" "$scratch/help" || echo "$document: there is no option $word" ;;
            *.h | *.cpp | *.js | *.py | *.sh | *.md | src/* | data/* | configs/* | tests/* | scripts/* | */)
                pattern="(^|/)${word#../}"
                case $word in */) ;; *) pattern="$pattern\$" ;; esac
                grep -qE -- "$pattern" "$scratch/files" || echo "$document: there is no $word" ;;
            esac
        done
done >"$scratch/wrong"
if test -s "$scratch/wrong"; then
    cat "$scratch/wrong" >&2
    exit 1
fi

awk -v folder="$scratch/blocks" '
    inside && /^```[ \t]*$/ {
        inside = 0
        if (!(block in seen)) {
            file = sprintf("%s/%04d", folder, ++count)
            printf "# %s\n%s", place, block > file
            close(file)
        }
        seen[block]
    }
    inside { block = block $0 "\n" }
    !inside && /^```sh[ \t]*$/ {
        if (previous ~ /^<!-- not run: .* -->[ \t]*$/) print "check_readme: " FILENAME ":" FNR " " previous
        else { inside = 1; block = ""; place = FILENAME ":" FNR }
    }
    { previous = $0 }' $documents

count=0
for block in "$scratch"/blocks/*; do
    test -f "$block" || continue
    count=$((count + 1))
    if ! (cd "$scratch/copy" && sh -e "$block") </dev/null >"$scratch/log" 2>&1; then
        echo 'these commands fail:' >&2
        sed 's/^/    /' "$block" >&2
        echo 'with' >&2
        tail -n 30 "$scratch/log" | sed 's/^/    /' >&2
        exit 1
    fi
done
echo "the documents: $count blocks of commands work"
