#!/bin/sh
# Real public texts for bigger runs, out of Debian's packages: sh scripts/get_corpus.sh NAME writes downloads/NAME.txt,
# plain UTF-8, one document after the other with a blank line between them. Needs no root and installs nothing: the
# package is fetched and unpacked into downloads/, which git ignores. apt checks what it fetches against signed lists.
set -eu
LC_ALL=C  # bytes: the same result whatever the machine's language, sorting order and awk
export LC_ALL

usage() {
    cat <<'END'
usage: sh scripts/get_corpus.sh NAME
  tang300   300 poems of the Tang dynasty, title and verses          (package fortunes-zh)    60 KB
  song100   100 poems of the Song dynasty                            (package fortunes-zh)    20 KB
  manpages  Chinese manual pages of Linux programs, as running text  (package manpages-zh)     3 MB
The result is downloads/NAME.txt. Then: build/zhuyi train downloads/NAME.txt
Without apt, put the package's .deb file into downloads/ and call this again.
END
}

die() {
    echo "get_corpus: $*" >&2
    exit 1
}

# ---- fetching ------------------------------------------------------------------------------------------------------

# apt-get with lists of its own below downloads/: works for everybody, touches nothing of the system's.
private_apt() {
    mkdir -p apt/lists/partial apt/archives/partial
    apt-get -o Dir::State::Lists="$PWD/apt/lists" -o Dir::Cache::Archives="$PWD/apt/archives" \
        -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User= \
        -o Acquire::Retries=1 "$@" >>apt.log 2>&1
}

why_apt_failed() {
    case $(cat apt.log) in
    *"ould not resolve"* | *"ould not connect"* | *"Failed to fetch"* | *"annot initiate"* | *"emporary failure"*)
        die "cannot reach the package server: is there a network? (downloads/apt.log has the details)" ;;
    *"Unable to locate package"* | *"No packages found"* | *"Can't find a source"* | *"no installation candidate"*)
        die "the system's package sources have no package $1 (Debian and Ubuntu do; is 'universe' switched on?)" ;;
    esac
    die "apt-get could not fetch $1: $(grep '^E:' apt.log | tail -n 1)"
}

# Leaves the package unpacked in downloads/$1.
fetch() {
    [ -d "$1" ] && return
    set -- "$1" "$1"_*.deb
    if [ ! -f "$2" ]; then
        command -v apt-get >/dev/null || die "no apt-get here: this needs Debian, Ubuntu or a relative of theirs." \
            "Elsewhere put the file $1_*_all.deb of Debian into downloads/ and call this again."
        echo "fetching the package $1 ..." >&2
        apt-get -o APT::Sandbox::User= download "$1" >apt.log 2>&1 ||
            { private_apt update && private_apt download "$1"; } || why_apt_failed "$1"
        rm -rf apt apt.log
        set -- "$1" "$1"_*.deb
        [ -f "$2" ] || die "apt-get said it fetched $1, but there is no $1_*.deb in downloads/"
    fi
    rm -rf "$1.new"
    mkdir "$1.new"
    if command -v dpkg-deb >/dev/null; then
        dpkg-deb -x "$2" "$1.new" 2>/dev/null || die "cannot unpack downloads/$2: is it whole? Remove it and call this again."
    else
        command -v ar >/dev/null || die "neither dpkg-deb nor ar is here to unpack $2"
        (cd "$1.new" && ar x "../$2" && tar xf data.tar.*) || die "cannot unpack downloads/$2"
    fi
    mv "$1.new" "$1"
}

# ---- cleaning ------------------------------------------------------------------------------------------------------

# fortune files: documents end with a line "%", the title is in colour and 《》, the next line names the author.
poems() {
    esc=$(printf '\033')
    sed -e "s/$esc\[[0-9;]*m//g" -e 's/^题目[:：]//' -e '/^作者[:：]/d' "$1" |
        awk '
            /^%/ { first = 1; next }
            {
                gsub(/^([ \t]|　)+|([ \t\r]|　)+$/, "")
                if ($0 == "") next
                if (first || NR == 1) {
                    if (n++) print ""
                    gsub(/《|》/, "")
                    gsub(/・/, "·")
                    first = 0
                }
                print
            }'
}

# Manual pages are written in roff, a language for typesetting. Of the ways to get text out of them only this one gives
# the same text on every machine: man and groff differ by version, break lines and hyphenate.
# One page is one document; a paragraph is one line.
roff_to_text() {
    awk '
        function flush() {
            gsub(/[ \t]+/, " ", line)
            gsub(/^ | $/, "", line)
            if (line != "" && !skipping) page = page line "\n"
            line = ""
        }
        # Filled text: a space between two ASCII words, none beside Chinese.
        function join(text) {
            if (line != "" && line !~ /[^\001-\177]$/ && text !~ /^[^\001-\177]/) line = line " "
            line = line text
        }
        function unescape(s,   count, pieces, i) {
            gsub(/[ \t]*\\".*$/, "", s)
            gsub(/\\f(\([A-Za-z0-9][A-Za-z0-9]|\[[^\]]*\]|[A-Za-z0-9])/, "", s)
            gsub(/\\s[-+]?[0-9]/, "", s)
            gsub(/\\[hvwlLoDNk]\047[^\047]*\047/, "", s)
            gsub(/\\m\[[^\]]*\]/, "", s)
            gsub(/\\k[A-Za-z]/, "", s)
            gsub(/\\\((aq|cq|oq)|\\\[(aq|cq|oq)\]/, "\047", s)
            gsub(/\\\(dq|\\\[dq\]|\\\*\(Q|\\\*Q/, "\"", s)
            gsub(/\\\(lq|\\\[lq\]|\\\*\(lq|\\\*\(L"/, "“", s)
            gsub(/\\\(rq|\\\[rq\]|\\\*\(rq|\\\*\(R"/, "”", s)
            gsub(/\\\((em|\[em\])|\\\*\(--/, "—", s)
            gsub(/\\\((bu|\[bu\])/, "·", s)
            gsub(/\\\((hy|en|mi)|\\-/, "-", s)
            gsub(/\\\(bv|\\\(br|\\\(or/, "|", s)
            gsub(/\\\(ti/, "~", s)
            gsub(/\\\(ha/, "^", s)
            gsub(/\\\(rs/, "\001", s)
            gsub(/\\\*?\([!-~][!-~]|\\\*?\[[^\]]*\]|\\\*[!-~]/, "", s)
            gsub(/\\n(\([!-~][!-~]|\[[^\]]*\]|[!-~])/, "", s)
            gsub(/\\[&\/,|^:%c{}!?adu]/, "", s)
            gsub(/\\[ ~0]/, " ", s)
            gsub(/\\[e\\]/, "\001", s)
            gsub(/\\\./, ".", s)
            gsub(/\\/, "", s)
            count = split(s, pieces, "\001")  # gsub would do, but awks disagree about a backslash put in by it
            s = pieces[1]
            for (i = 2; i <= count; ++i) s = s "\\" pieces[i]
            return s
        }
        # Words of a request; quotes keep spaces together. `between` joins them.
        function words(s, between,   text, word, any) {
            text = ""
            while (match(s, /^[ \t]*("([^"]|"")*"?|[^ \t]+)/)) {
                word = substr(s, 1, RLENGTH)
                s = substr(s, RLENGTH + 1)
                sub(/^[ \t]*/, "", word)
                if (word ~ /^"/) {
                    sub(/^"/, "", word)
                    sub(/"$/, "", word)
                    gsub(/""/, "\"", word)
                }
                text = text (any++ ? between : "") word
            }
            return unescape(text)
        }
        function finish_page() {
            flush()
            chinese = page
            gsub(/[\001-\177]/, "", chinese)
            # Translated for a good part (a Chinese character is three bytes), and more than a pointer to another page.
            if (!foreign && length(page) > 300 && length(chinese) * 3 > length(page)) {
                if (pages++) print ""
                printf "%s", page
            }
            page = line = hidden = ""
            foreign = skipping = depth = verbatim = 0
        }
        FNR == 1 && NR > 1 { finish_page() }
        { sub(/\r$/, "") }
        hidden != "" { if (index($0, hidden) == 1) hidden = ""; next }
        depth > 0 {
            depth += gsub(/\\\{/, "") - gsub(/\\\}/, "")
            next
        }
        /^[.\047][ \t]*(if|ie|el|while)/ {
            depth = gsub(/\\\{/, "") - gsub(/\\\}/, "")
            if (depth < 0) depth = 0
            next
        }
        /^[.\047][ \t]*(de1?|am|ig)([ \t]|$)/ { hidden = ".."; next }
        /^\.TS/ { hidden = ".TE"; next }
        /^\.EQ/ { hidden = ".EN"; next }
        /^\.(Dd|Sh|so)[ \t]/ { foreign = 1; next }  # mdoc is another language; .so points to another page
        /^[.\047][ \t]*(\\"|$)/ { next }
        /^\.S[HS]([ \t]|$)/ {
            flush()
            title = words(substr($0, 4), " ")
            # Who wrote, translated and printed it, and where else to look.
            if ($0 ~ /^\.SH/)
                skipping = title ~ /作者|译者|翻译|中文版|版权|维护|报告错误|参见|另见|又见|跋|^参考$|关键字|AUTHOR|COPYRIGHT|SEE ALSO|REPORTING|KEYWORDS/
            line = title
            flush()
            next
        }
        /^\.(nf|Vb|CS|EX)/ { flush(); verbatim = 1; next }
        /^\.(fi|Ve|CE|EE)/ { flush(); verbatim = 0; next }
        /^\.(TP|HP|PP|P|LP|RS|RE|br|sp|Sp|QP|bp|ti|in)([ \t]|$)/ { flush(); tag = /^\.TP/; next }
        /^\.(IP|It)([ \t]|$)/ {
            flush()
            title = $0
            sub(/^\.I[Pt][ \t]*/, "", title)
            match(title, /^("[^"]*"|[^ \t]*)/)
            line = words(substr(title, 1, RLENGTH), " ")
            flush()
            next
        }
        /^\.(B|I|SM|SB|R|CW)[ \t]/ { join(words(substr($0, index($0, " ")), " ")); if (verbatim || tag) flush(); tag = 0; next }
        /^\.(BR|IR|RB|RI|BI|IB)[ \t]/ { join(words(substr($0, 4), "")); if (verbatim || tag) flush(); tag = 0; next }
        /^[.\047]/ { next }
        /^[ \t]*$/ { flush(); next }
        {
            if (verbatim || /^[ \t]/) flush()
            join(unescape($0))
            if (verbatim || tag) flush()
            tag = 0
        }
        END { finish_page() }' "$@"
}

manual_pages() {
    rm -rf pages
    mkdir pages
    # Regular files only: links are other names of the same page.
    find "$1" -type f -name '*.gz' | sort | while read -r page; do
        gzip -dc "$page" >"pages/$(basename "$page" .gz)"
    done
    (cd pages && roff_to_text *)
    rm -rf pages
}

# ---- checking ------------------------------------------------------------------------------------------------------

# file, least number of documents, least number of characters
check() {
    if command -v iconv >/dev/null; then
        iconv -f UTF-8 -t UTF-8 "$1" >/dev/null 2>&1 || die "downloads/$1 is not UTF-8 throughout: the package has changed"
    fi
    documents=$(awk 'BEGIN { RS = "" } END { print NR }' "$1")
    characters=$(tr -d '\200-\277' <"$1" | wc -c)
    if [ "$documents" -lt "$2" ] || [ "$characters" -lt "$3" ]; then
        die "expected at least $2 documents and $3 characters, found $documents and $((characters)): the package has changed"
    fi
    if tr -d '\n\t' <"$1" | grep -q '[[:cntrl:]]'; then
        die "control characters are left in downloads/$1: the package has changed"
    fi
}

# ---- one by name ---------------------------------------------------------------------------------------------------

[ $# -eq 1 ] || { usage >&2; exit 2; }
case $1 in
tang300) package=fortunes-zh least_documents=250 least_characters=15000 ;;
song100) package=fortunes-zh least_documents=80 least_characters=5000 ;;
manpages) package=manpages-zh least_documents=400 least_characters=1000000 ;;
-h | --help) usage; exit 0 ;;
*) echo "get_corpus: no text is called $1" >&2; usage >&2; exit 2 ;;
esac

cd "$(dirname "$0")/.."
mkdir -p downloads || die "cannot make the folder downloads"
cd downloads
fetch "$package"
case $1 in
tang300 | song100) poems "$package/usr/share/games/fortunes/$1" >"$1.txt.new" ;;
manpages) manual_pages "$package/usr/share/man/zh_CN" >"$1.txt.new" ;;
esac
check "$1.txt.new" "$least_documents" "$least_characters"
mv "$1.txt.new" "$1.txt"
echo "downloads/$1.txt: $documents documents, $((characters)) characters. Next: build/zhuyi train downloads/$1.txt" >&2
