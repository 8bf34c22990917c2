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
void ProfilerRange::next(const char* name) {
  nvtxRangePop();
  nvtxRangePushA(name);
}

}  // namespace rowhalo

#else

namespace rowhalo {

ProfilerRange::ProfilerRange(const char*) {}
ProfilerRange::~ProfilerRange() = default;
void ProfilerRange::next(const char*) {}

}  // namespace rowhalo

#endif
