#include "run/train_end.h"

#include "base/format.h"
#include "base/hash.h"
#include "text/encoding.h"

namespace zhuyi {

std::string end_text(const TrainEnd& end, std::uint64_t fingerprint, Language language) {
    const bool zh = language == Language::chinese, done = end.reached == end.last;
    const std::string on = "zhuyi train --resume " + shell_word(end.run);
    std::string text = format(
        zh ? "%s第 %td 步，指纹 %s，运行目录 %s" : "%s step %td, fingerprint %s, run folder %s",
        done ? (zh ? "完成：" : "done:") : (zh ? "已停止并保存：" : "stopped and saved:"),
        end.reached, hash_text(fingerprint).c_str(), end.run.c_str());
    if (!done) return text + (zh ? "\n继续训练：" : "\nto go on: ") + on;
    if (end.begun < end.reached) return text;
    return text +
           format(zh ? "\n原本就已训练到第 %td 步；要接着训练，请加大步数：%s --steps N"
                     : "\nit was at step %td already; a larger number trains on: %s --steps N",
                  end.reached, on.c_str());
}

}  // namespace zhuyi
