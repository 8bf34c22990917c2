// SPDX-License-Identifier: BSD-3-Clause
//
// Ranges by NVTX, or none (profiler_range.hpp).
#include "miniapp/spmv/profiler_range.hpp"

#ifdef ROWHALO_HAVE_NVTX

#include <nvtx3/nvToolsExt.h>

namespace rowhalo {

ProfilerRange::ProfilerRange(const char* name) {
  nvtxRangePushA(name);
}
ProfilerRange::~ProfilerRange() {
  nvtxRangePop();
}

}  // namespace rowhalo

#else

namespace rowhalo {

ProfilerRange::ProfilerRange(const char*) {}
ProfilerRange::~ProfilerRange() = default;

}  // namespace rowhalo

#endif
