// SPDX-License-Identifier: BSD-3-Clause
//
// Solvers for programs (solver.hpp): what `rowhalo solve` puts together around a workspace, for an
// operator that owns its parts.
//
//      constructor   entry_for     names and operator fit, or InputError   together(): what
//                    launch_with   how iterations may be launched          one rank throws,
//                    M^-1, input, RankSums                                 all throw
//      solve()       x = 0, workspace, entry->solve(workspace, b, x), check of the exchange
//      close()       RankSums: its memory, which other ranks have mapped, or its NCCL communicator
//
// For the example of solver.hpp, ten nonzeros on two CPU ranks: launch is one_by_one, M^-1 is empty
// ("none"), RankSums is MPI; solve() zeroes two entries of x on each rank, runs two iterations and
// returns three norms. On two GPUs with p2p the first iteration is launched on its own, and the
// others are one CUDA graph that repeats itself. Each rank stores its partial sums into its peer's
// memory.
#include "miniapp/solve/solver.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace rowhalo {

namespace {

const SolverEntry& entry_for(const SolverOptions& options, const Operator& op) {
  const SolverEntry& entry = find_solver(options.method);
  if (!solves_system(entry)) {
    throw InputError(fmt::format("method {}: solves no A x = b; use cg or bicgstab", entry.name));
  }
  const MatrixInfo& info = op.local().info;
  const Tuning& tuning = op.tuning();
  if (info.rows != info.columns || tuning.precision != Precision::fp64) {
    throw InputError(fmt::format(
        "method {}: takes a square operator in fp64; this one has {} rows and {} columns, and is "
        "in {}",
        entry.name, info.rows, info.columns, name_of(tuning.precision)));
  }
  if (tuning.vectors != 1) {
    throw InputError(fmt::format(
        "method {}: solves for one vector; make the operator with Tuning::vectors 1, not {}",
        entry.name, tuning.vectors));
  }
  return entry;
}

/// A graph holds what the transport puts into the stream. A graph that repeats itself can hold only
/// the transport's own kernels (in_line).
Launch launch_with(const Tuning& tuning) {
  const TransportEntry& transport =
      tuning.own_transport != nullptr ? *tuning.own_transport : find_transport(tuning.transport);
  if (!transport.graphs) return Launch::one_by_one;
  return transport.in_line ? Launch::loop : Launch::graphs;
}

}  // namespace

Solver::Solver(Operator& op, const SolverOptions& options, Stream stream)
    : op_(op), options_(options), stream_(stream) {
  together(op.comm(), [this] { prepare(); });
}

void Solver::prepare() {
  const Comm& comm = op_.comm();
  const Device device = op_.site().device;
  const PreconditionerEntry* preconditioner = nullptr;
  // together() puts the number of a rank before an InputError. What agree() throws stays as it is.
  agree(comm, [&] {
    entry_ = &entry_for(options_, op_);
    options_.norm = watched_norm(*entry_, options_);
    preconditioner = &find_preconditioner(options_.preconditioner);
    if (device == Device::gpu) launch_ = launch_with(op_.tuning());
  });
  preconditioner_ = make_preconditioner(comm, op_.local(), *preconditioner, device);
  input_ = op_.tuning().foreign_vectors ? op_.lent_vector() : op_.make_vector();
  rank_sums_ = make_rank_sums(comm, op_.site(), op_.tuning().transport);
}

SolverOutcome Solver::solve(const double* b, double* x) {
  if (!rank_sums_) throw std::logic_error("solve() of a closed solver");
  const LocalMatrix& matrix = op_.local();
  const auto bytes = static_cast<std::size_t>(matrix.owned_rows) * sizeof(double);
  set_bytes(op_.site().device, x, 0, bytes);  // methods add to it
  SolverWorkspace workspace({
      .comm = op_.comm(),
      .progress = progress_,
      .op = op_,
      .input = input_,
      .rank_sums = *rank_sums_,
      .options = options_,
      .launch = launch_,
      .preconditioner = preconditioner_ ? &*preconditioner_ : nullptr,
      .space = {op_.site().device, stream_, matrix.owned_rows},
      .size = matrix.info.rows,
      .measures_phases = false,  // measuring would spoil x, which stays in the caller's memory
  });
  SolverOutcome outcome = entry_->solve(workspace, b, x);
  if (op_.site().device == Device::gpu) synchronize(stream_);  // what follows the last iteration
  op_.check();
  return outcome;
}

void Solver::close() {
  if (rank_sums_) rank_sums_->close();
  rank_sums_.reset();
}

}  // namespace rowhalo
