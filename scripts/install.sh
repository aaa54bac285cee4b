#!/bin/sh
# Puts the program below PREFIX, with the shells' completions and the pages of man, which are what it says of itself; or removes
# all of them.
#
#     install.sh PROGRAM PREFIX
#     install.sh --remove PREFIX
set -eu
share=$2/share
wanted() {  # file, then what to say
    if test "$program" = --remove; then
        rm -f "$1"
        return
    fi
    mkdir -p "${1%/*}"
    file=$1
    shift
    "$program" completions "$@" >"$file"
}
program=$1
if test "$program" = --remove; then
    rm -f "$2/bin/zhuyi"
else
    mkdir -p "$2/bin"
    install -m 755 "$program" "$2/bin/zhuyi"
fi
wanted "$share/bash-completion/completions/zhuyi" bash
wanted "$share/zsh/site-functions/_zhuyi" zsh
wanted "$share/fish/vendor_completions.d/zhuyi.fish" fish
wanted "$share/man/man1/zhuyi.1" man --lang en
wanted "$share/man/zh_CN/man1/zhuyi.1" man --lang zh
