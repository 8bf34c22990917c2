// SPDX-License-Identifier: BSD-3-Clause
//
// Operator: y = alpha A x + beta y over all ranks, by the steps of an order (steps.hpp). The one
// thing that programs, solvers and measurements multiply with.
//
// Use: every rank calls apply(), ranks without rows too, in the same order. On CPUs it returns when
// y is complete. On GPUs it returns early with nccl and p2p, while the mpi transports block the
// host; x may be changed and y read in the order of the stream. All calls of one operator use one
// stream, or streams that the caller orders by events. The device that was current at construction
// is current in every call. The same x may be used again and again; p2p is faster where two
// vectors alternate. y is not read if beta is 0; x and y must not overlap. A CUDA graph keeps the
// addresses of x and y, and holds an even number of products where vectors alternate.
// Errors: the constructors and make_vector() are collective, and what fails in them on one rank
// (input, memory of host or device, CUDA, NCCL, MPI) every rank throws as the same AgreedError. In
// apply() ranks do not agree: one that fails throws a std::runtime_error alone, and others may
// wait; the program should then end by MPI_Abort. Nothing here prints, ends the program, or takes
// a signal.
// Threads: one thread at a time uses an operator. MPI is called by that thread only, so that
// MPI_THREAD_FUNNELED suffices for one, and MPI_THREAD_MULTIPLE is needed for several threads. On
// CPUs as many OpenMP threads multiply as at construction. Ranks call the collective functions of
// operators on one communicator in the same order.
// Lifetimes: an operator works on a duplicate of the communicator and on copies of the matrix; what
// it was made from may go. close() is collective and frees vectors, the duplicate, and what NCCL
// and other GPUs hold; the destructor frees the rest. Call close() on every rank before
// MPI_Finalize; a second call, and one after MPI_Finalize, does nothing.
// Cost: a constructor partitions, plans and converts, and tries what GPUs and MPI can do; the first
// product costs what the others do. Formats and transports are not measured here: tune() does
// (miniapp/tune/tune.hpp).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "miniapp/halo/memory/memory.hpp"
#include "miniapp/halo/transports.hpp"
#include "miniapp/spmv/exchanges.hpp"
#include "miniapp/spmv/layouts.hpp"
#include "miniapp/spmv/local_kernels.hpp"
#include "miniapp/spmv/taken_entries.hpp"
#include "miniapp/spmv/tuning.hpp"
#include "partition/local_rows.hpp"

namespace rowhalo {

/// Called when what belongs to a step has been put in.
using StepHook = std::function<void(Step)>;

/// How values are brought to the entries of a rank (Operator::refill()).
enum class ValueOrder {
  kept,   ///< they stand where they were given
  other,  ///< columns did not ascend, or came twice
  moved   ///< to the owners of their rows
};

/// Several vectors of a caller in the other layout than that of the operator's: the product begins
/// and ends with their conversion (layouts.hpp).
struct OtherLayout {
  ConstVectorsView x;  ///< the owned entries
  VectorsView y;       ///< per owned row
};

/// y = alpha A x + beta y.
struct Product {
  double alpha;
  const HaloVector& x;  ///< one of the operator's; its ghosts are brought up to date
  double beta;
  VectorView y;  ///< one entry per owned row and vector, in the layout of x, vectors in column
                 ///< layout one right after the other
  double* dot_parts = nullptr;  ///< LocalKernels::dot_parts() entries that add up to x.y of this
                                ///< rank; null: not wanted
  const OtherLayout* caller = nullptr;  ///< then x and y are overwritten; null: x and y are what
                                        ///< is multiplied
};

class Operator {
 public:
  /// Collective. Of the rows that an application has on each rank; they stay there.
  Operator(const Comm& comm, const LocalRows& rows, const Tuning& tuning = {});
  /// Collective. Of a matrix whose rows go to owners by tuning.partition. y and x lie in the order
  /// of local().source_rows and local().source_columns then.
  Operator(const Comm& comm, DistributedCsr&& matrix, const Tuning& tuning = {});
  /// Local. From kernels, which outlive it, and the exchanges of x and of partial sums. Without
  /// exchanges it multiplies on this rank alone, by apply_alone().
  explicit Operator(const LocalKernels& kernels, Exchanges exchanges = {});
  ~Operator();
  Operator(Operator&&) noexcept;

  /// Collective. The next vector for x, [owned entries | ghosts], zeroed; with Tuning::vectors so
  /// many at once, in LocalKernels::layout().
  HaloVector make_vector();
  /// Local. Of an operator for foreign vectors: the one that products copy entries of x to. It may
  /// be used between two such products, by solvers for instance; each overwrites it.
  const HaloVector& lent_vector() const;

  /// One product. x and y are in the precision of the kernels and the memory of their device. On a
  /// GPU all work goes to `stream`, or follows it.
  void apply(const Product& product, Stream stream) const;
  template <class T>
  void apply(double alpha, const HaloVector& x, double beta, T* y, Stream stream = {}) const {
    apply({alpha, x, beta, {y, number_type_of<T>}}, stream);
  }
  /// The same for a caller's own x, of an operator that was made for foreign vectors: x and y are
  /// the entries that this rank owns, in the memory of the device. Entries of x that ranks exchange
  /// are copied (taken_entries.hpp), others are read where they are.
  void apply(double alpha, ConstVectorView x, double beta, VectorView y, Stream stream = {});
  template <class T>
  void apply(double alpha, const T* x, double beta, T* y, Stream stream = {}) {
    apply(alpha, ConstVectorView{x, number_type_of<T>}, beta, VectorView{y, number_type_of<T>},
          stream);
  }
  /// The same for Tuning::vectors at once, in whatever layout: the entries of x and y that this
  /// rank owns. Another layout than LocalKernels::layout() is converted, x and, if beta is not 0, y
  /// before the product, and y after it: 4 or 6 times the entries are read or written.
  void apply(double alpha, const ConstVectorsView& x, double beta, const VectorsView& y,
             Stream stream = {});
  /// The same, one step after the other in `stream`.
  void apply(const Product& product, Stream stream, const StepHook& after) const;
  /// The same for the steps of another list, each of which the kernels must serve.
  void apply(std::span<const PlacedStep> steps, const Product& product, Stream stream,
             const StepHook& after) const;
  /// Local. The same on this rank alone: ghosts and sums are taken as they are.
  void apply_alone(const Product& product, Stream stream) const;

  /// New values in the same places, of an operator with Tuning::refillable, whose products then
  /// have the bits of a new operator's in the same formats. `values`: of all entries of the rows
  /// that the constructor was given, in the order in which they stood there; fp64, rounded to the
  /// precision of the kernels; in memory of the host or of the operator's device. On a GPU in the
  /// order of `stream`; values of the host may be changed when it is back, others in the order of
  /// `stream`. Collective where rows have moved to other ranks, otherwise local. Allocates nothing.
  /// Errors as in apply(); std::logic_error where the operator was not made for it. Cost: a few
  /// products; values pass through the host where rows have moved or columns of a row did not
  /// ascend. local() keeps the values of the host that came last.
  void refill(const double* values, Stream stream = {});
  /// What a refill does before kernels copy values: nothing, orders them anew, or sends them to the
  /// ranks that own their rows.
  ValueOrder refill_order() const;

  const LocalKernels& kernels() const { return *kernels_; }
  /// Bytes that a product moves only because x is a caller's own; 0 of other operators.
  std::int64_t copied_bytes() const;
  /// The rank's matrix in local numbers, and what the operator was made with, names filled in; of
  /// one that was made from an application's rows or a distributed matrix.
  const LocalMatrix& local() const;
  const Tuning& tuning() const;
  /// Its communicator, a duplicate, and where ranks compute.
  const Comm& comm() const;
  const ComputeSite& site() const;
  /// Vectors of partial sums, [those for others | those from others], one per vector of x.
  std::span<const HaloVector> sum_vectors() const { return sum_vectors_; }
  /// What this rank sends to other nodes in one product; empty: as the plan says.
  std::optional<NodeTraffic> sent_between_nodes() const;
  /// On GPUs, after synchronizing the stream and before y is used: throws std::runtime_error where
  /// another rank did not answer in Tuning::timeout_seconds, and y is wrong.
  void check() const;
  /// Collective. See Lifetimes, above.
  void close();

 private:
  HaloVector make_halo_vector();
  void check_types(NumberType x, NumberType y) const;
  void check_product(const Product& product) const;
  void multiply_taken(double alpha, ConstVectorView x, double beta, VectorView y,
                      const HaloVector& own, Stream stream) const;

  struct Storage;
  /// Of one or the other.
  Operator(const Comm& comm, const Tuning& tuning, const LocalRows* rows, DistributedCsr* matrix);

  std::unique_ptr<Storage> storage_;  ///< of an operator that owns its parts
  const LocalKernels* kernels_ = nullptr;
  std::unique_ptr<HaloExchange> halo_, sums_;
  std::vector<HaloVector> sum_vectors_;        ///< by the slot of x
  std::unique_ptr<const TakenEntries> taken_;  ///< of an operator for foreign vectors
  HaloVector own_vectors_[2];                  ///< its own, used in turn
  int turn_ = 0;
  VectorMemory converted_y_;  ///< of an operator for several foreign vectors, in the layout of x
};

/// The steps of a product with these kernels and vectors in `layout`, for reports.
std::vector<std::string> step_names(const LocalKernels& kernels, Layout layout = Layout::row);

}  // namespace rowhalo
