// SPDX-License-Identifier: BSD-3-Clause
//
// The work and the set-up time of any format (format_kernel.hpp).
#include "kernels/format_kernel.hpp"

#include <chrono>

#include "kernels/gpu/device/device_work.hpp"
#include "kernels/gpu/device/runtime.hpp"

namespace rowhalo {

double host_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void FormatKernel::stop_clock(double before) {
  if (csr_.device == Device::gpu) synchronize_device();
  setup_seconds_ = before + host_seconds() - start_;
}

KernelWork FormatKernel::work() const {
  const RowCounts counts =
      csr_.device == Device::gpu ? count_on_device(csr_, rows_) : count_on_host(csr_, rows_);
  KernelWork work;
  work.matrix_bytes = matrix_bytes(counts);
  work.bytes = work.matrix_bytes + counts.vector_bytes;
  work.stored_entries = stored_entries();
  work.flops = 2 * counts.listed_nonzeros;
  work.footprint_bytes = footprint_bytes();
  work.setup_seconds = setup_seconds_;
  if (const std::optional<LaneUse> use = lanes()) {
    work.coalescing = use->coalescing;
    work.balance = use->balance;
  }
  work.parameters = parameters();
  return work;
}

}  // namespace rowhalo
