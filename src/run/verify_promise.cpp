#include "run/verify_promise.h"

#include "run/mend.h"
#include "run/verify_file.h"
#include "text/encoding.h"

namespace zhuyi {
namespace {

// What --resume does about files that are lost.
std::string costs_of(const RunState& run) {
    std::string anew;
    for (const char* log : {"metrics.csv", "samples.txt", "probes.csv", "history.bin"})
        if (run.lost.contains(log)) (anew += anew.empty() ? "" : ", ") += log;
    std::string text;
    if (!anew.empty())
        text += say({"; from there on these are written anew, and what is there is kept: %s",
                     "；从那里起另写以下文件，原有的保留：%s"},
                    anew);
    if (run.lost.contains("probes.txt"))
        text += say({"; no probes are asked any more", "；不再提问测试句"});
    if (run.lost.contains("first.safetensors") && run.config.history.on)
        text += can_draw_first_weights(run.folder, run.config)
                    ? say({"; first.safetensors is drawn once more from the seed",
                           "；first.safetensors 由随机种子重新生成"})
                    : say({"; no history is recorded any more, because first.safetensors cannot "
                           "be drawn once more",
                           "；不再记录训练回放，因为 first.safetensors 无法重新生成"});
    return text;
}

std::string to_train_on(const RunState& run) {
    const RunState::Usable* from = run.resumable();
    const std::string folder = shell_word(run.folder.path.string()), text = run.config.text.data;
    if (from)
        return say({"To train on: zhuyi train --resume %s, from step %td%s%s\n",
                    "可继续训练：zhuyi train --resume %s，从第 %td 步起%s%s\n"},
                   folder, from->checkpoint.step,
                   about_the_text(run.config.text, from->checkpoint.text_hash), costs_of(run));
    if (!run.begun && (run.find({"first"}) || !exists(run.folder.checkpoint("first"))))
        return say({"Nothing is lost, as no step was saved yet. From the beginning: zhuyi train "
                    "--resume %s\n",
                    "什么也没丢：还没有保存过一步。从头开始：zhuyi train --resume %s\n"},
                   folder);
    if (run.find({"best"}))
        return say({"Not to be trained on as it was; a new run may begin with these weights: zhuyi "
                    "train %s --from %s --out …\n",
                    "不能原样继续训练；可以从这些权重开始新的训练：zhuyi train %s --from %s "
                    "--out …\n"},
                   text.empty() ? "TEXT" : shell_word(text), folder);
    return say({"Not to be trained on.\n", "不能继续训练。\n"});
}

}  // namespace

const RunState::Usable* RunState::find(std::initializer_list<const char*> names) const {
    for (const char* name : names)
        for (const Usable& candidate : usable)
            if (candidate.name == name) return &candidate;
    return nullptr;
}

const RunState::Usable* RunState::resumable() const {
    for (const char* name : {"last", "previous"})
        if (const Usable* found = find({name}); found && found->checkpoint.moments) return found;
    return nullptr;
}

std::string what_can_be_used(const RunState& run) {
    const RunState::Usable* read = run.find({"best", "last", "previous", "first"});
    const bool readable = !run.lost.contains("run.conf") && !run.lost.contains("vocabulary.txt");
    if (!readable || (!read && run.begun))
        return say({"No model of it can be used.\n", "没有可用的模型。\n"});
    std::string text;
    if (read)
        text = say(
            {"To write and to look at: %s (step %td)%s\n", "可用来续写和观察：%s（第 %td 步）%s\n"},
            read->name, read->checkpoint.step,
            read->name == "best" ? "" : " --checkpoint " + read->name);
    return text + to_train_on(run);
}

}  // namespace zhuyi
