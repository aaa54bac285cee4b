// `train --inject WHAT@NUMBER[:NAME]`: faults made on purpose, so that tests can prove what becomes
// of a training that meets them. A hidden option; several faults are joined by commas.
//
//     kill@57 short@57 enospc@57 eio@57   from the 57th call that changes a file (system/disk.h)
//     inf@7:NAME                          in step 7 the first number of that activation is infinite
//     inf-gradient@7:NAME                 or the first of its gradient
#pragma once
#include <string>
#include <vector>

#include "autograd/watching.h"
#include "train/update.h"

namespace zhuyi {

class FaultInjection : public Listener, private Watcher {
  public:
    // Arranges the faults of the disk at once; those of numbers happen in the training that this
    // listens to. Throws UsageError for anything else.
    explicit FaultInjection(const std::string& wish);

    const char* name() const override { return "injection"; }
    Watcher* watch(Index step) override;

  private:
    struct Poison {
        bool gradient;
        Index step;
        std::string tensor;
    };
    void arrange(const std::string& wish);
    bool hits(const Poison& poison, bool gradient, std::string_view name) const;
    bool wants(std::string_view name) const override;
    void replace(std::string_view name, const Tensor& tensor) override;
    void replace_gradient(std::string_view name, Out gradient) override;

    std::vector<Poison> poisons_;
    Index step_ = 0;
};

}  // namespace zhuyi
