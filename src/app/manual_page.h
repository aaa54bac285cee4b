// The page of man: all commands and their options.
#pragma once
#include <span>
#include <string>

#include "app/described_command.h"

namespace zhuyi {

std::string manual_page(std::span<const DescribedCommand> commands);

}  // namespace zhuyi
