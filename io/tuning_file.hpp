// SPDX-License-Identifier: BSD-3-Clause
//
// Tuning files: what trials have chosen for a matrix on a machine, so that later runs need none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/report/report.hpp"
#include "partition/comm.hpp"

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

struct TuningFile {
  TuningConditions made_for;
  TunedChoice choice;
  double seconds = 0;  ///< median of a product, as measured then
};

/// Of a run that has been measured.
TuningFile tuning_of(const RunReport& report, std::uint64_t pattern);
TuningConditions tuning_conditions(const RunReport& report, const std::string& device,
                                   const std::string& precision, std::uint64_t pattern);

std::string tuning_text(const TuningFile& tuning, const RunReport& report);

/// Collective. Throws AgreedError (usage) naming the file, what is wrong with it and the remedy.
TuningFile read_tuning_file(const std::string& path, const Comm& comm);

/// What is another now than it was then, "4 ranks (now 2)", what matters most first.
std::vector<std::string> differences(const TuningConditions& then, const TuningConditions& now);

}  // namespace rowhalo
