// SPDX-License-Identifier: BSD-3-Clause
//
// What solvers are written in: products, vector steps and sums over all ranks, with vectors,
// scalars and sums in the memory of the device. A solver is a sequence of these without a look at a
// number; what it needs of one iteration in the next stays in its scalars. On a GPU
// each reduction waits for the stream, copies the sums to the host for MPI_Iallreduce, and copies
// them back. repeat() runs iterations
// and looks at the watched norm and at trouble after each.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/vectors/run_step.hpp"
#include "miniapp/halo/memory/memory.hpp"
#include "miniapp/process/watchdog.hpp"
#include "miniapp/solve/preconditioner.hpp"
#include "miniapp/spmv/distributed_spmv.hpp"

namespace rowhalo {

/// The watched norm: sqrt(r.z), |r|, or |z| with z = M^-1 r. The value is the place of its square
/// in the sums (r.z, r.r, z.z).
enum class ResidualNorm { natural, unpreconditioned, preconditioned };

/// How a solver ended.
enum class SolverEnd {
  converged,
  iterations_done,  ///< --iterations: as many as were asked for
  max_iterations,   ///< without convergence
  stagnation,       ///< no new minimum of the norm for long, or rounding errors at work
  indefinite_matrix,
  indefinite_preconditioner,
  breakdown,
  not_a_number,
  interrupted,  ///< by a signal
};

const char* name_of(SolverEnd end);  ///< "converged", "indefinite matrix", ...
bool is_success(SolverEnd end);

/// When iterations end.
struct StopRule {
  double tolerance = 1e-8;  ///< of the watched norm over the one that it began with
  int max_iterations = 10000;
  int iterations = 0;  ///< exactly so many, whatever the norm; 0: until the tolerance
};

/// Seconds of one rank in all iterations.
struct SolverPhases {
  double product = 0, vectors = 0, reductions = 0;
};

struct SolverOutcome {
  SolverEnd end = SolverEnd::max_iterations;
  std::vector<double> norms;    ///< watched: at the beginning, then after each iteration
  std::vector<double> seconds;  ///< of each iteration on this rank
  SolverPhases phases;
  double eigenvalue = 0;  ///< of power iteration
};

/// Everything that solvers of one run share; outlives the workspace.
struct SolverSetting {
  const Comm& comm;
  const Watchdog& watchdog;
  Progress& progress;
  const DistributedSpmv& spmv;
  HaloExchange& halo;
  const Inverse inverse;                ///< elementwise; or
  const BlockJacobi* blocks = nullptr;  ///< in a pass of its own
  VectorSpace space;
  GlobalIndex size = 0;  ///< rows of the matrix
  ResidualNorm norm = ResidualNorm::unpreconditioned;
  StopRule stop;
  double damping = 0.85;             ///< of PageRank
  const double* dangling = nullptr;  ///< of PageRank: 1 where a column is empty
};

class SolverWorkspace {
 public:
  explicit SolverWorkspace(const SolverSetting& setting);

  const SolverSetting& setting() const { return setting_; }
  /// A vector of this rank's rows, zeroed.
  double* vector();
  /// Likewise, as input of products.
  HaloVector halo_vector() { return setting_.halo.make_vector(); }
  /// In the memory of the device.
  double* scalars() const { return scalars_; }
  /// One of them, when all before it is done.
  double read_scalar(int place) const;
  Scalar scalar(int place) const { return {scalars_ + place}; }
  /// Of all ranks, from the last reduction.
  const double* sums() const { return sums_; }

  /// y = A x
  void product(const HaloVector& x, double* y);
  /// A step whose sums nobody needs.
  template <class Step>
  void run(const Step& step) {
    const double start = now();
    run_step(setting_.space, step);
    phases_.vectors += now() - start;
  }
  /// A step of one row: from sums to scalars.
  template <class Step>
  void settle(const Step& step) {
    VectorSpace one = setting_.space;
    one.rows = 1;
    run_step(one, step);
  }
  /// A step; its sums over this rank's rows are the next reduction's from `place` on.
  template <class Step>
  void sum_here(const Step& step, int place = 0) {
    const double start = now();
    run_step(setting_.space, step, sums_at(place));
    phases_.vectors += now() - start;
  }
  /// The first `count` sums over all ranks; other work may stand between the two.
  void start_reduction(int count);
  void finish_reduction();
  /// A step, and its sums over all ranks.
  template <class Step>
  void sum(const Step& step) {
    sum_here(step);
    start_reduction(Step::sums);
    finish_reduction();
  }
  /// u = M^-1 r; sum_here() of (r.u, r.r, u.u).
  void precondition(const double* r, double* u);
  /// The same without sums.
  void apply_inverse(const double* r, double* u);
  /// Whether the preconditioner takes a pass of its own, so that no step can apply it.
  bool has_blocks() const { return setting_.blocks != nullptr; }
  /// For steps that apply it by themselves; with blocks those read what precondition() has stored,
  /// or, without it, apply nothing.
  Inverse inverse(const double* stored = nullptr) const {
    return has_blocks() ? Inverse{nullptr, stored} : setting_.inverse;
  }

  /// Iterations until the rule of the setting, or trouble, ends them. The watched norm before the
  /// first is in scalars[at_norm2]. The same end on all ranks.
  SolverOutcome repeat(const std::function<void()>& iteration);

 private:
  static constexpr int most_reduced = most_sums + 3;

  static double now();
  SumsView sums_at(int place) const;
  void fetch(void* to, const void* from, std::size_t bytes) const;

  SolverSetting setting_;
  std::vector<VectorMemory> vectors_;
  VectorMemory small_, scratch_;
  std::vector<double> host_sums_;         ///< of a device, where MPI takes them
  std::vector<std::int64_t> host_words_;  ///< likewise
  double *scalars_ = nullptr, *sums_ = nullptr;
  ExactSum* exact_ = nullptr;
  int reduced_ = 0;              ///< sums of the reduction that is under way
  bool stop_requested_ = false;  ///< a signal has come to some rank: travels in the reductions
  MPI_Request reduction_ = MPI_REQUEST_NULL;
  SolverPhases phases_;
};

}  // namespace rowhalo
