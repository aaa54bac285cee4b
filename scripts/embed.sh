#!/bin/sh
# Prints C++ that holds the given files as they are (src/system/embedded.h): the program carries them with it. Each becomes a raw
# string; its length comes along (a compiler that counted it would give up), and no file contains the closing )file".
#
#     embed.sh FILE ...
set -eu
echo '#include "system/embedded.h"'
echo 'using namespace std::literals;'
echo 'namespace zhuyi {'
echo 'namespace {'
echo 'constexpr EmbeddedFile kFiles[] = {'
for file; do
    printf '{"%s", R"file(' "$file"
    cat "$file"
    echo ')file"sv},'
done
echo '};'
echo '}  // namespace'
echo 'std::span<const EmbeddedFile> embedded_files() { return kFiles; }'
echo '}  // namespace zhuyi'
