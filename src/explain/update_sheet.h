// The update of two weights as a sheet.
#pragma once
#include "explain/update.h"

namespace zhuyi {

// loss: as the sheet found it. token: whose row of E it is.
void write_updates(Sheet& sheet, const WorkedUpdates& updates, double loss,
                   const std::string& token);

}  // namespace zhuyi
