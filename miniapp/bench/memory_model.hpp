// SPDX-License-Identifier: BSD-3-Clause
//
// How much memory a rank will need, from the size of its share alone.
// Host while reading and partitioning: `base_bytes` (program, libraries and MPI: 45 MB, with CUDA's
// libraries 150 MB and more, so it is measured at the start), 24 bytes per nonzero while entries
// travel as (64-bit column, fp64 value) with one array twice, 40 at most when rows move, 48 when
// text is parsed (an entry is 24 bytes until rows are assembled); and 40 per row. Host with a
// product on the CPU: fp64 CSR in local numbers (12 bytes per nonzero), a copy in the format (value
// + 32-bit column) and 4 bytes per nonzero while it is made, and for every row and column its
// number in the source, x and y in fp64 and as stored, and two vectors. PETSc's copy for --validate
// petsc (12 per nonzero) comes on top; formats that pad need more, and so does rmat, whose edges
// are many before equal ones are merged. Device: CSR and its copy in the format, row lists, two x
// with ghosts, y, packed halo, and `device_base_bytes` for buffers of NCCL when there are several
// ranks. Against the larger of the two host figures, runs (sell, --validate none) reported from 1 %
// more (stencil27:100 and stencil27:64 as .mtx on 1 and 4 ranks, stencil7:128, stencil27:100
// shuffled) to 25 % less, where rows stay with the rank that made them.
#pragma once

#include <cstdint>

#include "partition/base/types.hpp"

namespace rowhalo {

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

/// `base_bytes`: what a rank holds before it has read anything.
MemoryPrediction predict_memory(const RankShare& share, Precision precision, Reading reading,
                                int ranks, std::int64_t base_bytes);

}  // namespace rowhalo
