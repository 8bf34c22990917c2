// SPDX-License-Identifier: BSD-3-Clause
//
// What ranks that need not be there would do in a product (RankWork), without any conversion: bytes
// as the quickest format's rule predicts them from a sample of rows, messages from a partition
// that was judged, or from the grid of a source of which no entry is made.
#pragma once

#include <array>
#include <vector>

#include "io/sources.hpp"
#include "miniapp/bench/expected.hpp"
#include "partition/assignment.hpp"

namespace rowhalo {

/// Of a nonzero on average.
struct SampledCost {
  double bytes = 0;  ///< of matrix and y
  double sectors = 0;
};

struct SampleRequest {
  Device device = Device::cpu;
  Precision precision = Precision::fp64;
  bool value_codes = true;
};

/// Local. Of some rows in the middle of `matrix`, in the format that takes the least time there on
/// a rank with `nonzeros` of them; zeros where there is no nonzero.
SampledCost sampled_cost(const DistributedCsr& matrix, const SampleRequest& request,
                         const MachineModel& model, double nonzeros);

/// Collective. The mean of all ranks' samples.
SampledCost mean_cost(const Comm& comm, const SampledCost& own);

/// One a part, as `quality` and `traffic` say.
std::vector<RankWork> planned_work(const PartitionQuality& quality,
                                   const std::vector<PartTraffic>& traffic, const SampledCost& cost,
                                   Precision precision);

/// The same for the parts of `nodes` when the grid of `outline` is cut into so many boxes in each
/// direction, with layers distributed evenly.
std::vector<RankWork> planned_work_of_boxes(const MatrixOutline& outline,
                                            const std::array<int, 3>& boxes, const NodeMap& nodes,
                                            const SampledCost& cost, Precision precision);

/// Local. Some rows from the middle of the matrix that `text` names, a generator, of which no other
/// row is made.
DistributedCsr sample_rows(const std::string& text, const MatrixOutline& outline,
                           Progress& progress);

}  // namespace rowhalo
