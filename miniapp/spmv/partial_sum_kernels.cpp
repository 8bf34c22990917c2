// SPDX-License-Identifier: BSD-3-Clause
//
// Sums for others and from others (partial_sum_kernels.hpp).
#include "miniapp/spmv/partial_sum_kernels.hpp"

#include <algorithm>

#include "kernels/gpu/device/runtime.hpp"
#include "miniapp/halo/memory/memory.hpp"
#include "miniapp/spmv/local_kernels.hpp"

namespace rowhalo {

namespace {

/// Multiprocessors that sums leave free while `entries` entries of x are sent: as many as the
/// thread blocks that send them fill (p2p/chunks.cu), but no more than 16. With 16 instead of 8
/// rmat:22, which sends many, took 3 % less on 4 H100s; empty, which sends few, took 4 % more on 4
/// H200s.
int multiprocessors_for_entries(std::size_t entries) {
  constexpr std::size_t held_by_one = 16384, most = 16;
  return static_cast<int>(std::clamp<std::size_t>(entries / held_by_one, 1, most));
}

/// Sums are of few rows and many columns: long rows are split.
const FormatEntry& format_of_sums(Device device) {
  return find_format(device == Device::gpu ? "csr-balanced" : "csr-omp", device);
}

/// What is added is ones, an entry or a few in each row.
const FormatEntry& format_of_added(Device device, Precision precision) {
  const FormatEntry& coded = find_format("asell", device);
  return takes(coded, precision) ? coded : format_of_sums(device);
}

std::unique_ptr<SpmvKernel> kernel_of_sums(const CsrView& matrix) {
  const FormatEntry& format = format_of_sums(matrix.device);
  return make_kernel(format, matrix, all_rows(matrix.rows), Spec::parse(format.name, "--format"));
}

/// Local. What `kernel` makes of the first entries of `x`.
std::vector<std::byte> product_of(const SpmvKernel& kernel, const CsrView& matrix,
                                  std::span<const std::byte> x) {
  const NumberType type = vector_type(matrix.precision);
  const std::size_t bytes_in = static_cast<std::size_t>(matrix.columns) * bytes_of(type);
  std::vector<std::byte> result(static_cast<std::size_t>(matrix.rows) * bytes_of(type));
  if (matrix.rows == 0) return result;
  const VectorMemory from(matrix.device, bytes_in), to(matrix.device, result.size());
  copy_between(matrix.device, from.data(), x.data(), bytes_in);
  kernel.apply({.x = {from.data(), type}, .y = {to.data(), type}}, Stream{});
  if (matrix.device == Device::gpu) synchronize_device();
  copy_between(matrix.device, result.data(), to.data(), result.size());
  return result;
}

/// Collective. The ghosts that `plan` brings for `owned` entries.
std::vector<std::byte> sent_by_plan(const Comm& comm, const HaloPlan& plan, std::size_t element,
                                    const std::vector<std::byte>& owned) {
  std::vector<std::byte> sent;
  sent.reserve(plan.send_indices.size() * element);
  for (const LocalIndex index : plan.send_indices) {
    const auto entry = owned.begin() + static_cast<std::ptrdiff_t>(index * element);
    sent.insert(sent.end(), entry, entry + static_cast<std::ptrdiff_t>(element));
  }
  std::vector<std::int64_t> counts(comm.size, 0);
  for (const HaloPlan::Send& send : plan.sends) {
    counts[send.rank] = send.count * static_cast<std::int64_t>(element);
  }
  return exchange(comm, sent, counts);
}

}  // namespace

PartialSumKernels::PartialSumKernels(const Comm& comm, const PartialSums& sums,
                                     const HaloPlan& entries, Precision precision, Device device,
                                     bool value_codes, const std::vector<std::byte>& x,
                                     NewValues new_values, int vectors)
    : sum_matrix_(sums.sums, precision, device, value_codes,
                  multiprocessors_for_entries(entries.send_indices.size()), new_values),
      added_matrix_(sums.added, precision, device, value_codes),
      sums_(kernel_of_sums(sum_matrix_.view())),
      plan_(sums.plan),
      type_(vector_type(precision)),
      vectors_(vectors) {
  const FormatEntry& format = format_of_added(device, precision);
  added_ = make_adding_kernel(format, added_matrix_.view(), added_matrix_.boundary(),
                              Spec::parse(format.name, "--format"));
  const std::size_t bytes = x.size() / vectors;
  for (int k = 0; k < vectors; ++k) {
    const std::vector<std::byte> sent = sent_by_plan(
        comm, plan_, vector_value_bytes(precision),
        product_of(*sums_, sum_matrix_.view(), std::span(x).subspan(k * bytes, bytes)));
    expected_.insert(expected_.end(), sent.begin(), sent.end());
  }
}

void PartialSumKernels::refill(Stream stream) {
  sum_matrix_.refill(stream);
  sums_->refill(stream);
}

}  // namespace rowhalo
