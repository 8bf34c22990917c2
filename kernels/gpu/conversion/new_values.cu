// SPDX-License-Identifier: BSD-3-Clause
//
// Rounding a thread per value; splitting a warp per row, whose lanes count by ballot how many
// entries before theirs go the same way (new_values.hpp).
#include "kernels/gpu/conversion/new_values.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "kernels/gpu/conversion/row_walks.cuh"
#include "kernels/gpu/device/runtime.hpp"
#include "kernels/gpu/warp/scans.cuh"

namespace rowhalo {
namespace {

template <class Number, class Round>
void round_values(const double* from, std::int64_t count, void* to, Stream stream,
                  const Round& round) {
  for_each_item(
      count,
      [=, to = static_cast<Number*>(to)] __device__(std::int64_t k) { to[k] = round(from[k]); },
      {native(stream)});
}

struct ToSingle {
  __device__ float operator()(double value) const { return static_cast<float>(value); }
};
struct ToHalf {
  __device__ __half operator()(double value) const { return __double2half(value); }
};
struct ToBfloat {
  __device__ __nv_bfloat16 operator()(double value) const { return __double2bfloat16(value); }
};

__global__ void split_rows(CsrView whole, LocalIndex columns, CsrView below, void* values_below,
                           CsrView others, void* values_of_others, std::size_t bytes) {
  const std::int64_t row = thread_index() / warp_size;
  if (row >= whole.rows) return;
  const unsigned lane = threadIdx.x % warp_size, before = (1u << lane) - 1;
  Offset next_below = below.offsets[row], next_other = others.offsets[row];
  const Offset end = whole.offsets[row + 1];
  for (Offset first = whole.offsets[row]; first < end; first += warp_size) {
    const Offset e = first + lane;
    const bool here = e < end, is_below = here && whole.indices[e] < columns;
    const unsigned all_below = __ballot_sync(all_lanes, is_below);
    const unsigned all_others = __ballot_sync(all_lanes, here && !is_below);
    if (is_below) {
      copy_number(bytes, whole.values, e, values_below, next_below + __popc(all_below & before));
    } else if (here) {
      copy_number(bytes, whole.values, e, values_of_others,
                  next_other + __popc(all_others & before));
    }
    next_below += __popc(all_below);
    next_other += __popc(all_others);
  }
}

}  // namespace

void round_on_device(NumberType type, const double* from, std::int64_t count, void* to,
                     Stream stream) {
  switch (type) {
    case NumberType::fp64:
      return copy_async(to, from, static_cast<std::size_t>(count) * sizeof(double), stream);
    case NumberType::fp32:
      return round_values<float>(from, count, to, stream, ToSingle{});
    case NumberType::fp16:
      return round_values<__half>(from, count, to, stream, ToHalf{});
    case NumberType::bf16:
      return round_values<__nv_bfloat16>(from, count, to, stream, ToBfloat{});
  }
}

void split_on_device(const CsrView& whole, LocalIndex columns, const CsrView& below,
                     void* values_below, const CsrView& others, void* values_of_others,
                     Stream stream) {
  launch_items({native(stream)}, split_rows, std::int64_t{whole.rows} * warp_size, whole, columns,
               below, values_below, others, values_of_others, matrix_value_bytes(whole.precision));
}

}  // namespace rowhalo
