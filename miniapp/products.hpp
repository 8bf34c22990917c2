// SPDX-License-Identifier: BSD-3-Clause
//
// Products of one run: what all of them share (matrix block, plan, x, device), and the products for
// one choice of kernels, transport and graph on two vectors of equal content, used in turn.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "miniapp/batches.hpp"
#include "miniapp/distributed_spmv.hpp"
#include "miniapp/memory.hpp"

namespace rowhalo {

/// How many products a CUDA graph holds at least.
inline constexpr int products_a_graph = 10;

/// How many of `seconds` each it holds: an even number, and so many that launching the graph, three
/// microseconds, does not count.
int graph_length(double seconds);

/// Everything that products of one run have in common.
struct ProductSetting {
  const Measuring& measuring;
  const LocalMatrix& matrix;
  const MatrixBlock& block;
  const HaloPlan& plan;
  ComputeSite site;
  Stream stream;
  const std::vector<std::byte>& x;  ///< all local columns, in the precision of the block
  Disturbances disturbances = {};

  std::size_t element_bytes() const { return vector_value_bytes(block.view().precision); }
};

struct TransportVariant {
  const TransportEntry* entry;
  bool graph;
};
/// Products on two vectors of equal content in turn, for one choice of kernels, transport and
/// graph. Made and closed collectively.
class Products {
 public:
  Products(const ProductSetting& setting, const LocalKernels& kernels,
           const TransportVariant& transport, double alpha, double beta);
  ~Products() = default;
  Products(const Products&) = delete;
  Products& operator=(const Products&) = delete;

  ProductSequence& sequence() { return *sequence_; }
  /// The same without the exchange.
  ProductSequence local_sequence();
  HaloExchange& halo() { return *halo_; }
  /// One product without a graph, from the vectors in turn, beginning with the first.
  void apply_once();
  /// The same; `after(phase)` as in DistributedSpmv::apply.
  void apply_once(const std::function<void(Phase)>& after);
  /// Collective, between products. Spoils the ghosts of both vectors with NaN, so that an exchange
  /// that forgets one is seen.
  void spoil_ghosts();
  /// y of this rank, in the precision of the run.
  std::vector<std::byte> y() const;
  void set_y(const std::vector<std::byte>& y);
  /// Collective. Ends the graph, then the transport.
  void close();

 private:
  const ProductSetting& setting_;
  const LocalKernels& kernels_;
  double alpha_, beta_;
  std::unique_ptr<HaloExchange> halo_;
  std::optional<Disturber> disturber_;
  DistributedSpmv spmv_;
  HaloVector vectors_[2];
  VectorMemory y_;
  std::optional<ProductSequence> sequence_;
  int single_ = 0;  ///< products without the sequence so far
};

}  // namespace rowhalo
