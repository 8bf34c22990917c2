// SPDX-License-Identifier: BSD-3-Clause
//
// What ranks that need not be there would hold, and do in a product (RankWork), without any
// conversion: bytes
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

/// What one rank owns and receives.
struct RankShare {
  std::int64_t rows = 0, columns = 0, nonzeros = 0;
  std::int64_t ghosts = 0;  ///< entries of x that it receives
  std::int64_t sent = 0;    ///< and that it sends
};

struct MemoryPrediction {
  std::int64_t host_peak_bytes = 0;  ///< while reading and partitioning
  std::int64_t host_bytes = 0;       ///< with a product on the CPU
  std::int64_t device_bytes = 0;     ///< with a product on a GPU, on the GPU
};

/// How the matrix comes in.
enum class Reading { binary_or_generated, text };

/// How much memory a rank will need, from the size of its share alone. `base_bytes`: what it holds
/// before it has read anything.
///
/// Host while reading and partitioning: `base_bytes` (program, libraries and MPI: 45 MB, with
/// CUDA's libraries 150 MB and more, so it is measured at the start), 24 bytes per nonzero while
/// entries travel as (64-bit column, fp64 value) with one array twice, 40 at most when rows move,
/// 48 when text is parsed (an entry is 24 bytes until rows are assembled); and 40 per row. Host
/// with a product on the CPU: fp64 CSR in local numbers (12 bytes per nonzero), a copy in the
/// format (value
/// and 32-bit column) and 4 bytes per nonzero while it is made, and for every row and column its
/// number in the source, x and y in fp64 and as stored, and two vectors. PETSc's copy for
/// --validate petsc (12 per nonzero) comes on top; formats that pad need more, and so does rmat,
/// whose edges are many before equal ones are merged. Device: CSR and its copy in the format, row
/// lists, two x with ghosts, y, packed halo, and `device_base_bytes` for buffers of NCCL when there
/// are several ranks. Against the larger of the two host figures, runs (sell, --validate none)
/// reported from 1 % more (stencil27:100 and stencil27:64 as .mtx on 1 and 4 ranks, stencil7:128,
/// stencil27:100 shuffled) to 25 % less, where rows stay with the rank that made them.
MemoryPrediction predict_memory(const RankShare& share, Precision precision, Reading reading,
                                int ranks, std::int64_t base_bytes);

}  // namespace rowhalo
