// SPDX-License-Identifier: BSD-3-Clause
//
// What memory and messages cost on the device of a run: the numbers behind every time that is
// called predicted. They are round figures of the machines that we know, meant to order partitions,
// not to foretell a benchmark.
#pragma once

#include "partition/assignment.hpp"

namespace rowhalo {

/// For ranks on `device`, `nodes` apart. Ranks of one node share its memory (CPU) and its way out.
PredictionModel prediction_model(Device device, const NodeMap& nodes);

}  // namespace rowhalo
