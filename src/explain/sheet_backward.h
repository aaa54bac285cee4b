// The way back, as a worked sheet: loss, gradients, AdamW, and the check against training itself.
#pragma once
#include "explain/sheet.h"
#include "explain/worked_backward.h"

namespace zhuyi {

// Continues a sheet that write_forward began.
void write_backward(SheetWriter& writer, const WorkedBackward& backward);
// Its end: two weights through AdamW, and the step of the trainer itself.
void write_update(SheetWriter& writer, const WorkedBackward& backward);

}  // namespace zhuyi
