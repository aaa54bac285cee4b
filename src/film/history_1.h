// Reads a history of version 1 ("zhuyi history 1") as streams of version 2. Nothing writes version
// 1 any more.
#pragma once
#include "film/history.h"
#include "formats/bytes.h"

namespace zhuyi {

constexpr std::string_view kHistoryMagic1 = "zhuyi history 1\n";

void take_start_1(ByteReader in, History& history);
Frame decoded_frame_1(ByteReader in, const History& history);

}  // namespace zhuyi
