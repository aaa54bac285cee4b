// `train --inject WHAT@NUMBER[:NAME]`: misfortune to order, so that tests can prove what becomes of
// it. Hidden; several are joined by commas.
//
//     kill@57 short@57 enospc@57 eio@57   from the 57th call that changes a file (system/disk.h)
//     inf@7:NAME                          in step 7 the first number of that activation is infinite
//     inf-gradient@7:NAME                 or the first of its gradient
#pragma once
#include <string>
#include <vector>

#include "train/trainer.h"

namespace zhuyi {

class Injection : public Listener, private Watcher {
  public:
    // Arranges the faults of the disk at once; those of numbers happen to whom this listens. Throws
    // UsageError for anything else.
    explicit Injection(const std::string& wish);

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
    void value(std::string_view name, const Tensor& tensor) override;
    void gradient(std::string_view name, const Tensor& tensor, In gradient) override;

    std::vector<Poison> poisons_;
    Index step_ = 0;
};

}  // namespace zhuyi
