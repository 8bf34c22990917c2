// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of the report that follow from the data: matrix, partition, halo, kernel, rates; and
// where the wall clock time of a run has gone.
// All collective functions give every rank the same.
#pragma once

#include "io/report/report.hpp"
#include "io/sources.hpp"
#include "miniapp/bench/measurement.hpp"
#include "partition/assignment.hpp"
#include "partition/base/progress.hpp"
#include "partition/halo_plan.hpp"
#include "partition/nodes.hpp"

namespace rowhalo {

/// Collective.
MatrixReport describe_matrix(const Comm& comm, const DistributedCsr& matrix);
/// Local. Of a matrix that has not been read.
MatrixReport describe_outline(const MatrixOutline& outline);
HaloReport describe_halo(const Comm& comm, const LocalMatrix& matrix, const HaloPlan& plan,
                         const NodeMap& nodes, Precision precision);
/// Local. What this rank sends to others per product.
std::vector<Flow> sent_flows(const Comm& comm, const HaloPlan& plan);
NodeTraffic sum_over_ranks(const Comm& comm, const NodeTraffic& own);  ///< collective
KernelReport describe_kernel(const Comm& comm, const LocalKernels& kernels, Device device,
                             Precision precision);

/// Collective. What `run --hdf5` has beside the JSON, which grows with the ranks: what each of them
/// owns, and how long its part of a product takes. Complete but for `communication` on rank 0,
/// empty on the others.
RankReport describe_ranks(const Comm& comm, const LocalMatrix& matrix, const HaloPlan& plan,
                          const OwnTimes& own);
/// Collective. Who sends how much to whom: flows on rank 0 only, ascending (from, to).
CommunicationReport describe_communication(const Comm& comm, const HaloPlan& plan,
                                           const NodeMap& nodes, const std::string& partition,
                                           Precision precision);

/// Local. What a partitioner's assignment means for a product.
PartitionJudgement describe_candidate(const PartitionCandidate& candidate, Precision precision);

/// Collective. Most memory that a rank's process has held so far.
std::int64_t peak_host_bytes(const Comm& comm);

/// Rates of one product of `vectors`. Bytes are those of CSR whatever the format: value and 32-bit
/// column a nonzero, 4 per row, each x and y once; of a dense matrix the values and the vectors.
PerformanceReport describe_performance(const MatrixReport& matrix, Precision precision,
                                       double seconds, int vectors = 1);

/// Of this rank, from the start of its process until now. Phases that belong nowhere are `other`.
WallReport wall_of(const Progress& progress);

}  // namespace rowhalo
