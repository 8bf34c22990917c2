// SPDX-License-Identifier: BSD-3-Clause
//
// Products without exchange, by the clock of the device (reading.hpp).
#include "miniapp/spmv/reading.hpp"

#include "miniapp/spmv/operator.hpp"

namespace rowhalo {

namespace {

double seconds_of_product(const LocalKernels& kernels, const Product& product, Stream stream) {
  constexpr int products = 3;
  const Operator alone(kernels);
  EventHandle begin, end;
  alone.apply_alone(product, stream);
  begin.record(stream);
  for (int k = 0; k < products; ++k) alone.apply_alone(product, stream);
  end.record(stream);
  end.synchronize();
  return seconds_between(begin, end) / products;
}

}  // namespace

decltype(TransportContext::reading_seconds) reading_seconds(const TransportContext& context,
                                                            const LocalKernels& kernels, void* y,
                                                            Stream stream) {
  constexpr std::size_t least_bytes = 1 << 21;
  HaloVector x{nullptr, context.plan.owned, context.plan.ghosts, context.type,
               0,       context.site.device};
  const std::size_t bytes = (static_cast<std::size_t>(x.owned) + x.ghosts) * x.element_bytes();
  if (x.device == Device::cpu || context.site.shared || bytes < least_bytes) return {};
  return [&kernels, y, stream, x](std::byte* data) mutable {
    x.data = data;
    return seconds_of_product(kernels, {1, x, 0, {y, x.type}}, stream);
  };
}

}  // namespace rowhalo
