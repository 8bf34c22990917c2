// SPDX-License-Identifier: BSD-3-Clause
//
// Tuning files: what trials have chosen for a matrix on a machine, so that later runs need none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/report/report.hpp"
#include "miniapp/spmv/tuning.hpp"

namespace rowhalo {

/// What was chosen, by the names of the tables.
struct TunedChoice {
  std::string format, boundary_format, transport, schedule, partition;
  bool graph = false, hierarchical = false, partial_sums = false;
};

/// What a choice was made for.
struct TuningConditions {
  std::string source;  ///< of the matrix, as the user named it
  std::int64_t rows = 0, columns = 0, nonzeros = 0;
  std::string pattern;  ///< pattern_fingerprint(), hexadecimal
  int ranks = 1, nodes = 1;
  std::string device;     ///< cpu | gpu
  std::string processor;  ///< model of the CPU or GPU
  std::string precision;
};

/// A format or transport that was tried or left out.
struct TriedCandidate {
  std::string name;
  bool graph = false;
  std::optional<double> seconds;  ///< of a product; empty where it was not timed
  std::string outcome;            ///< as in reports
  bool operator==(const TriedCandidate&) const = default;
};

struct TuningFile {
  TuningConditions made_for;
  TunedChoice choice;
  std::vector<TriedCandidate> formats, transports;  ///< empty where they were named
  double seconds = 0;                               ///< median of a product, as measured then
};

/// As JSON; `provenance`: of the program that writes it.
std::string tuning_text(const TuningFile& tuning, const Provenance& provenance);

/// Collective. Throws AgreedError (usage) naming the file, what is wrong with it and the remedy.
TuningFile read_tuning_file(const std::string& path, const Comm& comm);

/// Local. Throws InputError where a name of the file, which `path` stands for in messages, is none,
/// or none for `device`.
void check_names(const TuningFile& tuning, const std::string& path, Device device);

/// Collective. What a file says, for an operator: names, order, precision and device. Partial sums
/// are left out: operators have none. Throws AgreedError (usage) as the above do.
Tuning read_tuning(const std::string& path, const Comm& comm);

/// What is another now than it was then, "4 ranks (now 2)", what matters most first.
std::vector<std::string> differences(const TuningConditions& then, const TuningConditions& now);

}  // namespace rowhalo
