#include "probe/question.h"

#include "base/utf8.h"
#include "fuzz/fuzz.h"

using namespace zhuyi;

// What is accepted can be asked: every index lies within what it points into.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fuzz([&] {
        const ProbeFile file = parse_probes(std::string(text_of(data, size)), "file");
        hold(!file.probes.empty(), "there is a probe");
        for (const Probe& probe : file.probes) {
            hold(probe.rule < file.rules.size(), "its rule has a name");
            hold(!probe.text.empty() && !probe.right.empty() && !probe.wrong.empty(), "not empty");
            hold(probe.asker < utf8::length(probe.text), "the asker stands in the text");
            for (const Probe::Span& span : probe.answerer)
                hold(span.first >= 0 && span.first <= span.last && span.last <= probe.asker,
                     "the asker sees the answerer");
        }
    });
}
