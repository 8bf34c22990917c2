// SPDX-License-Identifier: BSD-3-Clause
//
// Sums for others (partial_sum_kernel.hpp).
#include "miniapp/spmv/partial_sum_kernel.hpp"

#include <algorithm>

#include "kernels/gpu/device/runtime.hpp"
#include "miniapp/halo/memory/memory.hpp"
#include "partition/base/numbers.hpp"

namespace rowhalo {

namespace {

std::unique_ptr<SpmvKernel> make(const LoadedMatrix& matrix) {
  const CsrView& view = matrix.view();
  const char* name = view.device == Device::gpu ? "csr-balanced" : "csr-omp";
  return make_kernel(find_format(name, view.device), view, all_rows(view.rows),
                     Spec::parse(name, "--format"));
}

}  // namespace

PartialSumKernel::PartialSumKernel(const PartialSums& sums, Precision precision, Device device,
                                   bool value_codes)
    : matrix_(sums.sums, precision, device, value_codes),
      kernel_(make(matrix_)),
      first_sum_(sums.first_sum) {}

void PartialSumKernel::apply(const HaloVector& x, Stream stream) const {
  if (matrix_.view().rows > 0) kernel_->apply(1, x.data, 0, sums_in(x), stream);
}

std::byte* PartialSumKernel::sums_in(const HaloVector& x) const {
  return x.data + static_cast<std::size_t>(first_sum_) * x.element_bytes;
}

std::size_t PartialSumKernel::sum_bytes() const {
  return static_cast<std::size_t>(matrix_.view().rows) *
         vector_value_bytes(matrix_.view().precision);
}

std::vector<std::byte> PartialSumKernel::exchanged(const Comm& comm, const PartialSums& sums,
                                                   const HaloPlan& plan,
                                                   const std::vector<std::byte>& x) const {
  const Device device = matrix_.view().device;
  const std::size_t element = vector_value_bytes(matrix_.view().precision);
  const auto bytes_of = [&](LocalIndex entries) {
    return static_cast<std::size_t>(entries) * element;
  };
  VectorMemory memory(device, bytes_of(plan.owned));
  set_bytes(device, memory.data(), 0, bytes_of(plan.owned));
  copy_between(device, memory.data(), x.data(), bytes_of(sums.owned_entries));
  HaloVector vector;
  vector.data = memory.data();
  vector.owned = plan.owned;
  vector.element_bytes = element;
  vector.device = device;
  apply(vector, Stream{});
  if (device == Device::gpu) synchronize_device();
  std::vector<std::byte> result(bytes_of(plan.owned + plan.ghosts));
  copy_between(device, result.data(), memory.data(), bytes_of(plan.owned));

  std::vector<std::byte> sent(bytes_of(static_cast<LocalIndex>(plan.send_indices.size())));
  std::vector<std::int64_t> counts(comm.size, 0), received_counts;
  for (std::size_t k = 0; k < plan.send_indices.size(); ++k) {
    std::copy_n(result.data() + bytes_of(plan.send_indices[k]), element, sent.data() + k * element);
  }
  for (const HaloPlan::Send& send : plan.sends) {
    counts[send.rank] = static_cast<std::int64_t>(bytes_of(send.count));
  }
  const std::vector<std::byte> ghosts = exchange(comm, sent, counts, received_counts);
  for (LocalIndex ghost = 0; ghost < plan.ghosts; ++ghost) {
    const LocalIndex origin = sums.origins[ghost];
    const std::byte* from =
        origin < 0 ? ghosts.data() + bytes_of(ghost) : x.data() + bytes_of(origin);
    std::copy_n(from, element, result.data() + bytes_of(plan.owned + ghost));
  }
  return result;
}

}  // namespace rowhalo
