// SPDX-License-Identifier: BSD-3-Clause
//
// Operator: y = alpha A x + beta y over all ranks, by the steps of an order (steps.hpp). The one
// thing that programs, solvers and measurements multiply with.
//
// Errors: a constructor, make_vector() and close() are collective. What fails in them on one rank
// (input, memory of host or device, CUDA, NCCL, MPI) every rank throws as the same AgreedError, and
// nothing is left open. apply() is no agreement: what fails there is a std::runtime_error of that
// rank, and the communicator should then be given up. Nothing here prints, ends the program, or
// takes a signal.
// Threads: one thread at a time may use an operator; different operators may be used by different
// threads where MPI was started with MPI_THREAD_MULTIPLE. OpenMP threads of the caller's setting
// multiply on CPUs. Ranks call the collective functions of operators on one communicator in the
// same order.
// Lifetimes: an operator works on a duplicate of the communicator and on copies of the matrix; what
// it was made from may go. Vectors of make_vector() live until close(). After MPI_Finalize close()
// frees memory of this rank and nothing else; an operator that is destroyed without close() leaks
// the duplicate.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "miniapp/halo/transports.hpp"
#include "miniapp/spmv/exchanges.hpp"
#include "miniapp/spmv/local_kernels.hpp"
#include "miniapp/spmv/taken_entries.hpp"
#include "miniapp/spmv/tuning.hpp"
#include "partition/local_rows.hpp"

namespace rowhalo {

/// Called when what belongs to a step has been put in.
using StepHook = std::function<void(Step)>;

/// y = alpha A x + beta y.
struct Product {
  double alpha;
  const HaloVector& x;  ///< one of the operator's; its ghosts are brought up to date
  double beta;
  VectorView y;                 ///< one entry per owned row
  double* dot_parts = nullptr;  ///< LocalKernels::dot_parts() entries that add up to x.y of this
                                ///< rank; null: not wanted
};

class Operator {
 public:
  /// Collective. Of the rows that an application has on each rank; they stay there.
  Operator(const Comm& comm, const LocalRows& rows, const Tuning& tuning = {});
  /// Collective. Of a matrix whose rows go to owners by tuning.partition. y and x lie in the order
  /// of local().source_rows and local().source_columns then.
  Operator(const Comm& comm, DistributedCsr&& matrix, const Tuning& tuning = {});
  /// Local. Of kernels, which outlive it, and what exchanges its vectors: entries of x and, where
  /// the kernels compute partial sums, those. Without exchange it is this rank's alone, and x any
  /// vector of all local columns.
  explicit Operator(const LocalKernels& kernels, Exchanges exchanges = {});
  ~Operator();
  Operator(Operator&&) noexcept;

  /// Collective. The next vector for x, [owned entries | ghosts], zeroed.
  HaloVector make_vector();

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
  /// The same, one step after the other in `stream`.
  void apply(const Product& product, Stream stream, const StepHook& after) const;
  /// The same for the steps of another list, each of which the kernels must serve.
  void apply(std::span<const PlacedStep> steps, const Product& product, Stream stream,
             const StepHook& after) const;
  /// Local. The same on this rank alone: ghosts and sums are taken as they are.
  void apply_alone(const Product& product, Stream stream) const;

  const LocalKernels& kernels() const { return *kernels_; }
  /// Bytes that a product moves only because x is a caller's own; 0 of other operators.
  std::int64_t copied_bytes() const { return taken_ ? taken_->bytes() : 0; }
  /// The rank's matrix in local numbers, and what the operator was made with, names filled in; of
  /// one that was made from an application's rows or a distributed matrix.
  const LocalMatrix& local() const;
  const Tuning& tuning() const;
  /// Vectors of partial sums, [those for others | those from others], one per vector of x.
  std::span<const HaloVector> sum_vectors() const { return sum_vectors_; }
  /// What this rank sends to other nodes in one product; empty: as the plan says.
  std::optional<NodeTraffic> sent_between_nodes() const;
  /// Throws std::runtime_error when an exchange has failed beside the host's calls.
  void check() const;
  /// Collective; frees the vectors. Must be called before the destructor, which is local.
  void close();

 private:
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
};

/// The steps of a product with these kernels, for reports.
std::vector<std::string> step_names(const LocalKernels& kernels);

}  // namespace rowhalo
