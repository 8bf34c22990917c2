// SPDX-License-Identifier: BSD-3-Clause
//
// Exchanges of x and of partial sums (exchanges.hpp).
#include "miniapp/spmv/exchanges.hpp"

#include "miniapp/spmv/operator.hpp"
#include "miniapp/spmv/partial_sum_kernels.hpp"

namespace rowhalo {

namespace {

/// By the clock of the device, without an exchange.
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

decltype(TransportContext::reading_seconds) reading_seconds(const TransportContext& context,
                                                            const LocalKernels& kernels,
                                                            const ExchangeRequest& request) {
  constexpr std::size_t least_bytes = 1 << 21;
  HaloVector x{nullptr, context.plan.owned,  context.plan.ghosts, context.type,
               0,       context.site.device, context.vectors};
  const std::size_t bytes = (static_cast<std::size_t>(x.owned) + x.ghosts) * x.element_bytes();
  if (request.y == nullptr || x.device == Device::cpu || context.site.shared ||
      bytes < least_bytes) {
    return {};
  }
  return [&kernels, y = request.y, stream = request.stream, x](std::byte* data) mutable {
    x.data = data;
    return seconds_of_product(kernels, {1, x, 0, {y, x.type}}, stream);
  };
}

}  // namespace

Exchanges make_exchanges(const OperatorParts& parts, const LocalKernels& kernels,
                         const ExchangeRequest& request) {
  const bool one_by_one = kernels.layout() == Layout::column;
  const int halo_vectors = request.halo_vectors * (one_by_one ? kernels.vectors : 1);
  const auto make = [&](const HaloPlan& plan, bool tries_places) {
    TransportContext context{plan, parts.type(), halo_vectors, parts.comm, parts.site};
    context.vectors = one_by_one ? 1 : kernels.vectors;
    context.wait_for_packing = request.wait_for_packing;
    context.connections = parts.connections;
    if (tries_places) context.reading_seconds = reading_seconds(context, kernels, request);
    std::unique_ptr<HaloExchange> halo = request.transport.make(context);
    return request.wrap ? request.wrap(std::move(halo)) : std::move(halo);
  };
  Exchanges exchanges;
  exchanges.x = make(parts.plan, !one_by_one);
  if (parts.sums == nullptr) return exchanges;
  try {
    exchanges.sums = make(parts.sums->plan(), false);
  } catch (const AgreedError&) {
    exchanges.x->close();
    throw;
  }
  return exchanges;
}

}  // namespace rowhalo
