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
//      [ stops | s0 s1 s2 ]      [ stops | s0 s1 s2 ]    sums_: stops is a copy of stop_,
//            \                      /                    1 where this rank wants to stop;
//             RankSums: added up over ranks              s0 s1 ... are sums over its rows
//                         |
//                         v
//      alpha  beta  rho ...  end                         scalars, the same bits on all ranks: the
//                         |                              scalar step, then the verdict
//                         v
//      |r| after 0, 1, 2 ... iterations; Seen            for the host, which looks now and then
//
// So repeat() may launch iterations in three ways. L: the host waits, and meanwhile looks at Seen.
//
//      one_by_one    1 L 2 L 3 L ...             on a GPU with RankSums::on_device(): 16, then L
//      graphs        1 L [16] [16] L [16] L ...  a CUDA graph of 16 iterations; of two
//                                                launches under way L waits for the first
//      loop          1 L [while not ended: 8] L  one CUDA graph with a conditional node
//
// Where several iterations are launched at a time, some may lie beyond the end. Those exchange and
// multiply all the same, but their steps do nothing.
//
// An example, the ten nonzeros of A = tridiag(-1, 2, -1) with four rows, and b = (1, 0, 0, 1), by
// cg without a preconditioner (z = r) from x = 0:
//
//      k  x += alpha p   p = r + beta p   q = A p      p.q           alpha  r -= alpha q  r.r  beta
//      1  0  0  0  0     1   0  0   1     2 -1  -1  2  2 + 2         0.5    0 .5 .5 0     0.5  0.25
//      2  .5 0  0 .5     .25 .5 .5 .25    0 .25 .25 0  .125 + .125   2      0  0  0 0     0    0
//         1  1  1  1     finish: x is one iteration late; p.q = rank 0 + rank 1
//
// Two iterations up to the end, each of one product and two reductions. The norms are 1.41, 0.71
// and 0. After the third of them the verdict is SolverEnd::converged.
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
  graphs,  ///< a CUDA graph of 16, again and again
  loop,    ///< a CUDA graph that repeats itself
};

const char* name_of(Launch launch);  ///< "one by one", ...
const char* name_of(SolverEnd end);  ///< "converged", "indefinite matrix", ...
bool is_success(SolverEnd end);

/// Whether products sum x.y as they go, so that no pass over both is needed. The same on all ranks.
bool products_sum_dots(const LocalKernels& kernels, const SolverOptions& options);

struct SolverOutcome {
  SolverEnd end = SolverEnd::max_iterations;
  std::vector<double> x;        ///< this rank's rows; empty without SolverSetting::measures_phases
  std::vector<double> norms;    ///< watched: at the beginning, then after each iteration
  std::vector<double> seconds;  ///< of each iteration on this rank
  double solve_seconds = 0;  ///< by the host's clock; with capture, and iterations beyond the end
  SolverPhases phases;
  Launch launch = Launch::one_by_one;
  double eigenvalue = 0;  ///< of power iteration
  /// The last direction of a method that broke down or stagnated and has one, this rank's rows; on
  /// all ranks or on none.
  std::optional<std::vector<double>> direction;
};

/// Everything that solvers of one run share. The workspace keeps a copy; what this refers to
/// outlives the workspace.
struct SolverSetting {
  const Comm& comm;
  Progress& progress;
  Operator& op;
  HaloVector input;  ///< the x of its products, the one that halo_vector() gives
  RankSums& rank_sums;
  SolverOptions options;                        ///< `norm`: one that the method has
  Launch launch = Launch::one_by_one;           ///< at most; sums or capture may allow less
  const BlockJacobi* preconditioner = nullptr;  ///< null: none
  VectorSpace space;                            ///< `summation`: as `options` say
  GlobalIndex size = 0;                         ///< rows of the matrix
  const double* dangling = nullptr;             ///< of PageRank: 1 where a column is empty
  /// Whether a few more iterations after a success measure the phases. They spoil x;
  /// SolverOutcome::x is a copy from before, made after every end.
  bool measures_phases = true;
};

class SolverWorkspace {
 public:
  explicit SolverWorkspace(const SolverSetting& setting);

  const SolverSetting& setting() const { return setting_; }
  /// A vector of this rank's rows, zeroed.
  double* vector();
  /// The input of products: setting().input, the same in each call, with its owned entries zeroed.
  HaloVector halo_vector();
  /// Waits for the stream, then copies from the memory of the device to the host.
  double read_scalar(int place) const;
  std::vector<double> read_vector(const double* vector) const;
  Scalar scalar(int place) const { return {scalars_ + place}; }

  /// y = A x
  void product(const HaloVector& x, double* y) { product(x, y, nullptr); }
  /// y = A x, then the sum of x.y over all ranks, then `scalars`, whose sum[0] is x.y. The product
  /// sums x.y as it goes if its format can.
  void product_and_dot(const HaloVector& x, double* y, const ScalarStep& scalars);
  /// A step whose sums nobody needs.
  template <class Step>
  void run(const Step& step) {
    clock_.in(&SolverPhases::vectors, [&] { run_step(next_sweep(), step); });
  }
  /// A step; its sums over this rank's rows are s[place], s[place + 1] ... of the next reduction.
  template <class Step>
  void sum_here(const Step& step, int place = 0) {
    const VectorSpace& space = next_sweep();
    clock_.in(&SolverPhases::vectors, [&] { run_step(space, step, sums_at(place)); });
  }
  /// A step, then the sums [0, place + Step::sums) over all ranks, then scalars from them.
  template <class Step>
  void sum(const Step& step, const ScalarStep& scalars, int place = 0) {
    const OverRanks then = plan_reduction(place + Step::sums, true, true, scalars);
    if (fuses_reductions()) {
      run_step(next_sweep(), step, sums_at(place), then);
    } else {
      sum_here(step, place);
      run_reduction(then);
    }
  }
  /// The same in two halves, start_sum() and finish_sum(). Between them there may be work without
  /// sums, such as product(), and no other reduction. Where fuses_reductions(), all of the
  /// reduction runs beside that work.
  template <class Step>
  void start_sum(const Step& step, int place = 0) {
    sum_here(step, place);
    send_sums(place + Step::sums);
  }
  void send_sums(int count);  ///< instead of start_sum(), after sum_here(); `count` as below
  /// `count`: all sums of the reduction, place + Step::sums of the last step that has summed.
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
    return setting_.preconditioner != nullptr && setting_.preconditioner->block_size() > 1;
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
  static constexpr int first_sum = 1;  ///< of sums_.values; the one before: how many want to stop

  /// Sweeps over the rows alternate in direction, so that each begins with the rows that the one
  /// before has left in the cache. Products go forward.
  const VectorSpace& next_sweep() {
    setting_.space.backward = !setting_.space.backward;
    return setting_.space;
  }
  void product(const HaloVector& x, double* y, double* dot_parts);
  /// Hands u = M^-1 r, as a step, to `pass`.
  template <class Pass>
  void with_inverse(const double* r, double* u, const Pass& pass) const {
    if (has_blocks()) {
      const BlockJacobi& blocks = *setting_.preconditioner;
      pass(ApplyBlocks{blocks.inverses(), blocks.block_size(), r, u});
    } else {
      pass(ApplyInverse{inverse(), r, u});
    }
  }
  /// What a reduction of s[0, count) has to do: send the sums of this rank, take those of all.
  OverRanks plan_reduction(int count, bool sends, bool takes, const ScalarStep& scalars) const;
  SumsView exact_or_values() const;
  SumsView sums_at(int place) const { return exact_or_values().from(first_sum + place); }
  /// Whether kernels do all of a reduction: the kernel of the step, or one beside a product. Not
  /// while phases are measured: then a reduction has a time of its own.
  bool fuses_reductions() const {
    return setting_.rank_sums.by_steps() && setting_.space.device == Device::gpu &&
           !clock_.is_running();
  }
  /// The reduction by itself, after the steps that have summed.
  void run_reduction(const OverRanks& plan);
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
  SumsView sums_;         ///< [stops | s0 s1 ...]; `exact` is there whatever the summation
  VectorMemory history_;  ///< norms and times
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
