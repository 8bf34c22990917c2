// SPDX-License-Identifier: BSD-3-Clause
//
// Solvers for programs (solver.hpp): what `rowhalo solve` puts together around a workspace, for an
// operator that owns its parts.
#include "miniapp/solve/solver.hpp"

#include <fmt/format.h>

namespace rowhalo {

namespace {

const SolverEntry& entry_for(const SolverOptions& options, const Operator& op) {
  const SolverEntry& entry = find_solver(options.method);
  if (!solves_system(entry)) {
    throw InputError(fmt::format("method {}: solves no A x = b; use cg or bicgstab", entry.name));
  }
  const MatrixInfo& info = op.local().info;
  if (info.rows != info.columns) {
    throw InputError(
        fmt::format("method {}: the matrix has {} rows and {} columns; it must be "
                    "square",
                    entry.name, info.rows, info.columns));
  }
  if (op.tuning().precision != Precision::fp64) {
    throw InputError(fmt::format("method {}: the operator is in {}; solvers are in fp64",
                                 entry.name, name_of(op.tuning().precision)));
  }
  if (op.tuning().foreign_vectors) {
    throw InputError(
        fmt::format("method {}: the operator is made for foreign vectors, but solvers "
                    "have vectors of their own; leave Tuning::foreign_vectors false",
                    entry.name));
  }
  return entry;
}

Launch launch_with(const Tuning& tuning) {
  const TransportEntry& transport =
      tuning.own_transport != nullptr ? *tuning.own_transport : find_transport(tuning.transport);
  if (!transport.graphs) return Launch::one_by_one;
  return transport.in_line ? Launch::loop : Launch::graphs;
}

}  // namespace

struct Solver::Storage {
  Operator& op;
  SolverOptions options;
  Stream stream;
  Progress progress = {};  // nobody looks
  const SolverEntry* entry = nullptr;
  Launch launch = Launch::one_by_one;
  std::optional<BlockJacobi> preconditioner = {};
  std::unique_ptr<RankSums> rank_sums = {};
  HaloVector input = {};

  void prepare() {
    const Comm& comm = op.comm();
    const PreconditionerEntry* inverse = nullptr;
    agree(comm, [&] {
      entry = &entry_for(options, op);
      options.norm = watched_norm(*entry, options);
      inverse = &find_preconditioner(options.preconditioner);
      if (op.site().device == Device::gpu) launch = launch_with(op.tuning());
    });
    preconditioner = make_preconditioner(comm, op.local(), *inverse, op.site().device);
    input = op.make_vector();
    rank_sums = make_rank_sums(comm, op.site(), op.tuning().transport);
  }
};

Solver::Solver(Operator& op, const SolverOptions& options, Stream stream) {
  together(op.comm(), [&] {
    agree(op.comm(), [&] { storage_.reset(new Storage{op, options, stream}); });
    storage_->prepare();
  });
}

Solver::~Solver() = default;

SolverOutcome Solver::solve(const double* b, double* x) {
  Storage& own = *storage_;
  const LocalMatrix& matrix = own.op.local();
  const auto bytes = static_cast<std::size_t>(matrix.owned_rows) * sizeof(double);
  set_bytes(own.op.site().device, x, 0, bytes);
  SolverWorkspace workspace({
      .comm = own.op.comm(),
      .progress = own.progress,
      .op = own.op,
      .input = own.input,
      .rank_sums = *own.rank_sums,
      .options = own.options,
      .launch = own.launch,
      .preconditioner = own.preconditioner ? &*own.preconditioner : nullptr,
      .space = {own.op.site().device, own.stream, matrix.owned_rows},
      .size = matrix.info.rows,
      .measures_phases = false,
  });
  SolverOutcome outcome = own.entry->solve(workspace, b, x);
  own.op.check();
  return outcome;
}

void Solver::close() {
  if (storage_->rank_sums) storage_->rank_sums->close();
  storage_->rank_sums.reset();
}

}  // namespace rowhalo
