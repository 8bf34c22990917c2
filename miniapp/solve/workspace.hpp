// SPDX-License-Identifier: BSD-3-Clause
//
// What Krylov solvers are written in: products, fused vector steps and reductions over all ranks,
// with vectors, scalars and sums in the memory of the device. A solver is a sequence of these
// without a look at a number; what it needs of one iteration in the next stays in its scalars, and
// whether it goes on is decided where they are (kernels/vectors/verdict.hpp).
//
//      rank 0, rows 0 1          rank 1, rows 2 3
//      p   q   r   x             p   q   r   x           vector(): this rank's rows
//      | a step, fused           |
//      v                         v
//      [ stop | s0 s1 s2 ]       [ stop | s0 s1 s2 ]     sums of its rows; the first number of a
//            \                      /                  reduction says who wants to stop
//             RankSums: added up over ranks
//                         |
//                         v
//      alpha  beta  rho ...  end                         scalars, the same bits on all ranks: the
//                         |                              scalar step, then the verdict
//                         v
//      |r| after 0, 1, 2 ... iterations; Seen            for the host, which looks now and then
//
// So repeat() may launch iterations in three ways; the host looks (L) while the device works:
//
//      one_by_one    k=1 L k=2 L k=3 L ...
//      graphs        [16 iterations][16 iterations] ...  two CUDA graphs on their way, L between
//      loop          while (not ended) 8 iterations      one CUDA graph with a conditional node, L
//
// An example, the ten nonzeros of A = tridiag(-1, 2, -1) with four rows, and b = (1, 0, 0, 1), by
// cg without a preconditioner (z = r) from x = 0:
//
//      k  x += alpha p   p = r + beta p   q = A p      p.q           alpha  r -= alpha q  r.r  beta
//      1  0  0  0  0     1   0  0   1     2 -1  -1  2  2 + 2         0.5    0 .5 .5 0     0.5  0.25
//      2  .5 0  0 .5     .25 .5 .5 .25    0 .25 .25 0  .125 + .125   2      0  0  0 0     0    0
//         1  1  1  1     finish: x is one iteration late; p.q = rank 0 + rank 1
//
// Two products, two reductions per iteration; norms 1.41, 0.71, 0; after the third the verdict is
// SolverEnd::converged.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "kernels/vectors/run_step.hpp"
#include "miniapp/halo/memory/memory.hpp"
#include "miniapp/solve/phase_clock.hpp"
#include "miniapp/solve/preconditioner.hpp"
#include "miniapp/solve/rank_sums.hpp"
#include "miniapp/solve/solver_options.hpp"
#include "miniapp/spmv/operator.hpp"
#include "miniapp/spmv/side_stream.hpp"

namespace rowhalo {

/// How iterations are launched.
enum class Launch {
  one_by_one,
  graphs,  ///< CUDA graphs of several
  loop,    ///< a CUDA graph that repeats itself
};

const char* name_of(Launch launch);  ///< "one by one", ...
const char* name_of(SolverEnd end);  ///< "converged", "indefinite matrix", ...
bool is_success(SolverEnd end);

/// Whether products sum x.y along, so that no pass over both is needed. The same on all ranks.
bool products_sum_dots(const LocalKernels& kernels, const SolverOptions& options);

struct SolverOutcome {
  SolverEnd end = SolverEnd::max_iterations;
  std::vector<double> x;        ///< this rank's rows, where phases are measured
  std::vector<double> norms;    ///< watched: at the beginning, then after each iteration
  std::vector<double> seconds;  ///< of each iteration on this rank
  double solve_seconds = 0;     ///< of all of them, by the host's clock
  SolverPhases phases;
  Launch launch = Launch::one_by_one;
  double eigenvalue = 0;  ///< of power iteration
  /// The last direction of a method that broke down or stagnated and has one, this rank's rows; on
  /// all ranks or on none.
  std::optional<std::vector<double>> direction;
};

/// Everything that solvers of one run share; outlives the workspace.
struct SolverSetting {
  const Comm& comm;
  Progress& progress;
  Operator& op;
  HaloVector input;  ///< of its products
  RankSums& rank_sums;
  SolverOptions options;                        ///< `norm`: one that the method has
  Launch launch = Launch::one_by_one;           ///< where sums over ranks allow it
  const BlockJacobi* preconditioner = nullptr;  ///< null: none
  VectorSpace space;                            ///< its sums: as `options` say
  GlobalIndex size = 0;                         ///< rows of the matrix
  const double* dangling = nullptr;             ///< of PageRank: 1 where a column is empty
  /// After a success a few more iterations measure the phases, which spoils x; SolverOutcome::x is
  /// read before.
  bool measures_phases = true;
};

class SolverWorkspace {
 public:
  explicit SolverWorkspace(const SolverSetting& setting);

  const SolverSetting& setting() const { return setting_; }
  /// A vector of this rank's rows, zeroed.
  double* vector();
  /// Likewise, as input of products.
  HaloVector halo_vector();
  /// In the memory of the device, when all before it is done.
  double read_scalar(int place) const;
  std::vector<double> read_vector(const double* vector) const;
  Scalar scalar(int place) const { return {scalars_ + place}; }

  /// y = A x
  void product(const HaloVector& x, double* y) { product(x, y, nullptr); }
  /// y = A x, then x.y over all ranks, which the product sums along if its format can, then
  /// scalars from sums[0].
  void product_and_dot(const HaloVector& x, double* y, const ScalarStep& scalars);
  /// A step whose sums nobody needs.
  template <class Step>
  void run(const Step& step) {
    clock_.in(&SolverPhases::vectors, [&] { run_step(next_sweep(), step); });
  }
  /// A step; its sums over this rank's rows are the next reduction's from `place` on.
  template <class Step>
  void sum_here(const Step& step, int place = 0) {
    const VectorSpace& space = next_sweep();
    clock_.in(&SolverPhases::vectors, [&] { run_step(space, step, sums_at(place)); });
  }
  /// A step, then the sums [0, place + its own) over all ranks, then scalars from them.
  template <class Step>
  void sum(const Step& step, const ScalarStep& scalars, int place = 0) {
    const OverRanks then = reduction(place + Step::sums, true, true, scalars);
    if (by_kernels()) {
      run_step(next_sweep(), step, sums_at(place), then);
    } else {
      sum_here(step, place);
      reduce(then);
    }
  }
  /// The same in two halves, with other work between them. Where kernels do all of a reduction, it
  /// runs beside that work.
  template <class Step>
  void start_sum(const Step& step, int place = 0) {
    sum_here(step, place);
    send_sums(place + Step::sums);
  }
  void send_sums(int count);  ///< of sum_here()
  void finish_sum(int count, const ScalarStep& scalars);

  /// u = M^-1 r, and scalars from the sums of (r.u, r.r, u.u) over all ranks.
  void precondition(const double* r, double* u, const ScalarStep& scalars) {
    with_inverse(r, u, [&](const auto& step) { sum(step, scalars); });
  }
  /// u = M^-1 r; sum_here() of (r.u, r.r, u.u).
  void precondition(const double* r, double* u) {
    with_inverse(r, u, [&](const auto& step) { sum_here(step); });
  }
  /// The same without sums.
  void apply_inverse(const double* r, double* u) {
    with_inverse(r, u, [&](const auto& step) { run(step); });
  }
  /// Whether the preconditioner takes a pass of its own, so that no step can apply it.
  bool has_blocks() const {
    return setting_.preconditioner != nullptr && setting_.preconditioner->size() > 1;
  }
  /// For steps that apply it by themselves; with blocks they apply nothing.
  Inverse inverse() const {
    const bool elementwise = setting_.preconditioner != nullptr && !has_blocks();
    return {elementwise ? setting_.preconditioner->inverses() : nullptr};
  }

  /// Iterations until the rule of the setting, or trouble, ends them; then `finish`, which makes
  /// `x` what it should be. The same end on all ranks.
  SolverOutcome repeat(const double* x, const std::function<void()>& iteration,
                       const std::function<void()>& finish = {});

 private:
  static constexpr int first_sum = 1;  ///< the one before says who wants to stop

  /// Sweeps over the rows alternate in direction; products go forward.
  const VectorSpace& next_sweep() {
    setting_.space.backward = !setting_.space.backward;
    return setting_.space;
  }
  void product(const HaloVector& x, double* y, double* dot_parts);
  /// Hands u = M^-1 r, as a step, to `pass`.
  template <class Pass>
  void with_inverse(const double* r, double* u, const Pass& pass) const {
    if (has_blocks()) {
      pass(ApplyBlocks{setting_.preconditioner->inverses(), setting_.preconditioner->size(), r, u});
    } else {
      pass(ApplyInverse{inverse(), r, u});
    }
  }
  OverRanks reduction(int count, bool sends, bool takes, const ScalarStep& scalars) const;
  SumsView exact_or_values() const;
  SumsView sums_at(int place) const { return exact_or_values().from(first_sum + place); }
  /// Whether kernels do all of a reduction, and nobody wants to know how long that takes.
  bool by_kernels() const {
    return setting_.rank_sums.by_steps() && setting_.space.device == Device::gpu &&
           !clock_.is_running();
  }
  void reduce(const OverRanks& sums);
  Seen seen() const;
  bool is_over() const { return seen().end() != SolverEnd::none; }
  void mark();
  void wait_for_mark();
  void wait() {
    mark();
    wait_for_mark();
  }
  void request_stop();
  void launch_iterations(const std::function<void()>& iteration);
  SolverOutcome outcome() const;
  bool capture(Launch launch, const std::function<void()>& iteration);
  void run_one_by_one(const std::function<void()>& iteration);
  void run_graphs();
  void measure_phases(const std::function<void()>& iteration, SolverOutcome& outcome);

  SolverSetting setting_;
  std::vector<VectorMemory> vectors_;
  std::optional<VectorMemory> dot_parts_;  ///< that products leave; nothing where they do not
  VectorMemory small_, parts_;
  double *scalars_ = nullptr, *stop_ = nullptr;
  SumsView sums_;         ///< all of a reduction; accumulators are there in any case
  VectorMemory history_;  ///< norms and times of iterations
  PinnedMemory pinned_;   ///< what the device writes and the host reads, and a 1 for the device
  Seen host_seen_{};      ///< the same on a CPU
  Judge judge_;
  std::int64_t norms_seen_ = 0;
  bool stop_requested_ = false;
  std::optional<EventHandle> done_;
  std::optional<StreamHandle> beside_;     ///< for the request to stop
  std::optional<SideStream> sums_beside_;  ///< of a sum that is started and not yet finished
  GraphExec graph_;
  PhaseClock clock_;
};

}  // namespace rowhalo
