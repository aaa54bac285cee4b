#include <sstream>

#include "base/check.h"
#include "base/hash.h"
#include "film/history_recorder.h"
#include "system/input_file.h"

namespace zhuyi {

History verify_history(const std::string& path, const std::string& state) {
    std::istringstream words(state);
    std::size_t length = 0;
    std::string hash;
    words >> length >> hash;
    const std::string bytes = read_file(path);
    const std::string_view whole = std::string_view(bytes).substr(0, length);
    if (!words || whole.size() < length || hash_text(hash_of(whole)) != hash)
        fail({"%s is not the history that this checkpoint belongs to",
              "%s 不是这个检查点所属训练的回放"},
             path);
    History history = parse_history(whole, path);
    for (std::size_t i = 1; i < history.frames.size(); ++i)
        if (history.frames[i].step <= history.frames[i - 1].step)
            fail({"%s: after the frame of step %td comes one of step %td",
                  "%s：第 %td 步那一帧之后又是第 %td 步"},
                 path, history.frames[i - 1].step, history.frames[i].step);
    return history;
}

}  // namespace zhuyi
