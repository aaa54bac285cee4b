// A run as the course looks at it (explain/course.h): its model, and what was recorded of its
// training.
#pragma once
#include "explain/course.h"
#include "run/loaded_run.h"

namespace zhuyi {

// path: as a person names the run. A run without a history or without probes lacks what they say.
CourseRun course_run(const LoadedRun& run, const std::string& path);

}  // namespace zhuyi
