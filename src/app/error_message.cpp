#include "app/error_message.h"

#include <filesystem>
#include <new>

#include "base/check.h"
#include "base/format.h"
#include "system/terminal.h"

namespace zhuyi {
namespace {

std::string message_of(const std::exception& error) {
    if (const auto* known = dynamic_cast<const Error*>(&error)) return known->what();
    if (dynamic_cast<const std::bad_alloc*>(&error))
        return say(
            {"not enough memory; a shorter text needs less, and so does a model of a "
             "smaller batch, context, channels or layers",
             "内存不够。缩短文本，或减小 batch、context、channels、layers，都会少用内存"});
    // Whether something is there was asked for, and the system does not tell even that: the folder
    // cannot be searched, the name is too long, links go round in a circle.
    if (const auto* place = dynamic_cast<const std::filesystem::filesystem_error*>(&error))
        return say({"cannot read %s: %s", "无法读取 %s：%s"}, place->path1().string(),
                   place->code().message());
    return say({"unexpected: %s", "意外的错误：%s"}, error.what());
}

}  // namespace

int report(const std::exception& error) {
    if (dynamic_cast<const OutputClosed*>(&error)) return 1;

    tell(say({"zhuyi: ", "zhuyi："}) + message_of(error) + "\n");
    return dynamic_cast<const UsageError*>(&error) ? 2 : 1;
}

}  // namespace zhuyi
