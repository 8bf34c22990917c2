// SPDX-License-Identifier: BSD-3-Clause
//
// Energy of the processor packages of this node by their counters (RAPL, on Intel and AMD), where
// the system lets this user read them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace rowhalo {

class CpuEnergy {
 public:
  explicit CpuEnergy(const std::filesystem::path& folder = "/sys/class/powercap");

  bool readable() const { return !packages_.empty(); }
  /// Of all packages, since the constructor; to be called again before a counter has wrapped twice
  /// (minutes at full power). Most systems let only root read them.
  double joules();

 private:
  struct Package {
    std::filesystem::path counter;
    std::int64_t range, last;  ///< microjoules
  };

  std::vector<Package> packages_;
  double joules_ = 0;
};

}  // namespace rowhalo
