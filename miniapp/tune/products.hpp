// SPDX-License-Identifier: BSD-3-Clause
//
// Products of one run: what all of them share (matrix, plan, x, device, schedule), and the products
// for one choice of kernels, transport and graph on two vectors of equal content, used in turn.
// What is timed is what is checked: products are timed on another x than the user's, and
// run_checked() runs the very sequence that was timed on the user's x, with ghosts that were
// spoiled, so that nothing that came with an earlier exchange can pass for a new one.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "miniapp/halo/memory/memory.hpp"
#include "miniapp/spmv/operator.hpp"
#include "miniapp/spmv/partial_sum_kernels.hpp"
#include "miniapp/tune/schedule.hpp"
#include "miniapp/tune/timing.hpp"

namespace rowhalo {

/// Called when what belongs to a step of this phase has been put in.
using PhaseObserver = std::function<void(Phase)>;

/// How many products a CUDA graph holds at least.
inline constexpr int products_per_graph = 10;

/// How many of `seconds` each it holds: an even number, and so many that launching the graph, three
/// microseconds, does not count.
int graph_length(double seconds);

/// For baselines, which follow the schedule of another library, and for disturbed exchanges.
struct ProductHooks {
  /// Wraps the exchange of x when products are made; empty: as it is.
  std::function<std::unique_ptr<HaloExchange>(std::unique_ptr<HaloExchange>)> exchange = {};
  std::function<void(Stream)> after = {};  ///< called after each product; empty: nothing
  bool ghosts_stay = true;                 ///< ghosts keep their values until the next exchange
};

/// Everything that products of one run have in common.
struct ProductSetting : OperatorParts {
  const Measuring& measuring;
  Stream stream;
  /// All local columns, in the precision of the local matrix; several vectors one after the other.
  const std::vector<std::byte>& x;
  ProductHooks hooks = {};
  Schedule schedule = Schedule::overlap;
  Layout layout = Layout::row;  ///< how several vectors lie where products begin and end

  /// As x has all vectors.
  VectorsShape x_shape() const { return {type(), vectors, Layout::column, matrix.local_columns()}; }

  /// Entries of x and sums that come to this rank in a product.
  std::int64_t ghosts() const {
    return std::int64_t{plan.ghosts} + (sums != nullptr ? sums->plan().ghosts : 0);
  }
};

struct TransportVariant {
  const TransportEntry* entry;
  bool graph;
};

/// What the timed sequence gave on the user's x.
struct CheckedRun {
  std::vector<std::byte> y;  ///< of this rank, in the precision of the run, vectors as in y before
  int products = 0;          ///< y = alpha*A*x + beta*y so many times, from the given y
  /// Both vectors' ghosts are the entries of x, on all ranks. True without a look at them where
  /// ghosts are poisoned after use.
  bool ghosts_are_right = true;
};

/// Products on two vectors of equal content in turn, for one choice of kernels, transport and
/// graph. Made and closed collectively.
class Products {
 public:
  /// Throws AgreedError where the transport cannot be made.
  Products(const ProductSetting& setting, const LocalKernels& kernels,
           const TransportVariant& transport, double alpha, double beta);
  ~Products() = default;
  Products(const Products&) = delete;
  Products& operator=(const Products&) = delete;

  /// What is timed: on half of x, so that every entry but 0 differs from the user's.
  ProductSequence& sequence() { return *sequence_; }
  /// The same without the exchange.
  ProductSequence local_sequence();
  /// What this rank sends to other nodes in one product; empty: as the plan says.
  std::optional<NodeTraffic> sent_between_nodes() const { return operator_.sent_between_nodes(); }
  /// Collective. One step of sequence(), at least both vectors, from `y`, on the user's x, which
  /// stays, with ghosts spoiled by NaN. What y has become takes the memory of `y`: none is asked
  /// for, since after the timing there may be none.
  CheckedRun run_checked(std::vector<std::byte> y);
  /// Collective. The same in two parts, for a sequence that holds these products among others: what
  /// comes before it, and after `products` of them.
  void begin_checked(const std::vector<std::byte>& y);
  CheckedRun end_checked(std::vector<std::byte> y, int products);
  /// Collective. The same without a look at y: whether the ghosts are right.
  bool ghosts_arrive();
  /// Collective. The same for one product without a graph; what y has become.
  std::vector<std::byte> run_single(std::vector<std::byte> y);
  /// One product without a graph on the x that is there, its steps one after the other.
  void apply_once(const PhaseObserver& after);
  /// Several vectors one after the other.
  void set_y(const std::vector<std::byte>& y);
  /// Puts in product `k` of a sequence that holds others, too. Vectors are used in turn.
  void apply(std::int64_t k);
  /// Collective. Ends the graph, then the transport.
  void close();

 private:
  void set_timed_x();
  void spoil_ghosts();
  void restart();
  int run_step();
  void copy_y(std::vector<std::byte>& y) const;
  bool ghosts_are_right() const;
  bool own_ghosts_are_right() const;
  Product product(std::int64_t k);
  std::vector<VectorsView> given_x() const;
  VectorsView given_y() const;

  const ProductSetting& setting_;
  const LocalKernels& kernels_;
  double alpha_, beta_;
  VectorMemory y_;
  VectorMemory caller_x_, caller_y_;  ///< in setting.layout, where the kernels have the other
  std::optional<OtherLayout> caller_;
  Operator operator_;
  HaloVector vectors_[2];
  std::optional<ProductSequence> sequence_;
  int single_ = 0;  ///< products without the sequence so far
};

}  // namespace rowhalo
