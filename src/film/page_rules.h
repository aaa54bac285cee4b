// What a model knew of each rule, as the page reads it (page/panel_rules.js).
#pragma once
#include "formats/json.h"
#include "probe/probe_file.h"
#include "probe/probe_history.h"

namespace zhuyi {

// The probes of a training, and how they were answered.
struct Asked {
    ProbeFile file;
    ProbeHistory history;
};

//     {"steps": [of the evaluations],
//      "list": [{"name", "english", "since": first evaluation from which on it was always known,
//                "seen": [share right at each evaluation], "new": […],
//                "margin": [nats, of the new probes],
//                "heads": [[layer, head], …], "weights": […],
//                "example": {"text", "right", "wrong", "asker", "answerer": [[first, last], …]}}]}
//
// null where nothing is known. The example is the shortest new probe that says who decides it.
Json rules_data(const Asked& asked);

}  // namespace zhuyi
