#include "system/options.h"

#include "film/config.h"
#include "fuzz/fuzz.h"
#include "model/config.h"
#include "text/corpus.h"
#include "train/config.h"

using namespace zhuyi;

namespace {

// The options of run.conf.
struct Run {
    TextOptions text;
    GptConfig model;
    TrainConfig train;
    HistoryConfig history;
    Options options;

    Run() {
        declare(options, text);
        declare(options, model);
        declare(options, train);
        declare(options, history);
    }
};

}  // namespace

// A configuration that is accepted is written as one that reads back the same, in both languages.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fuzz([&] {
        Run run;
        run.options.read_file(as_file(text_of(data, size)));
        const std::string written = run.options.file();
        for (const Language language : {Language::english, Language::chinese}) {
            Run again;
            {
                const Speaking speaking(language);
                again.options.read_file(as_file(run.options.file()));
            }
            hold(again.options.file() == written, "options read back the same");
        }
        check(run.model);
    });
}
