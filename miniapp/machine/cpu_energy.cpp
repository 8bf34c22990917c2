// SPDX-License-Identifier: BSD-3-Clause
//
// Reads the counters of powercap (cpu_energy.hpp). Zones are intel-rapl:P, also on AMD; their parts
// have other names, and those of intel-rapl-mmio repeat them.
#include "miniapp/machine/cpu_energy.hpp"

#include <fstream>
#include <optional>
#include <string>

namespace rowhalo {

namespace {

std::optional<std::int64_t> number_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::int64_t number = 0;
  if (in >> number) return number;
  return std::nullopt;
}

bool is_package(const std::filesystem::path& zone) {
  const std::string name = zone.filename();
  if (!name.starts_with("intel-rapl:")) return false;
  std::string label;
  std::ifstream(zone / "name") >> label;
  return label.starts_with("package");
}

}  // namespace

CpuEnergy::CpuEnergy(const std::filesystem::path& folder) {
  std::error_code absent;
  for (const auto& zone : std::filesystem::directory_iterator(folder, absent)) {
    if (!is_package(zone)) continue;
    const std::filesystem::path counter = zone.path() / "energy_uj";
    const auto range = number_in(zone.path() / "max_energy_range_uj"), now = number_in(counter);
    if (range && now) packages_.push_back({counter, *range, *now});
  }
}

double CpuEnergy::joules() {
  for (Package& package : packages_) {
    const auto now = number_in(package.counter);
    if (!now) continue;
    const std::int64_t wrapped = *now < package.last ? package.range : 0;
    joules_ += 1e-6 * static_cast<double>(*now - package.last + wrapped);
    package.last = *now;
  }
  return joules_;
}

}  // namespace rowhalo
