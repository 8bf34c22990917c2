// SPDX-License-Identifier: BSD-3-Clause
//
// librowhalo_with_petsc.so: all that calls PETSc (library.hpp). Its start and end, our matrix as
// its own, handed over row by row; MatMult as reference and baseline; KSP beside our solvers.
#include <fmt/format.h>
#include <petscksp.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/host_memory.hpp"
#include "miniapp/bench/petsc/library.hpp"
#include "miniapp/halo/transports.hpp"
#include "partition/base/checked_cast.hpp"
#include "partition/base/numbers.hpp"

namespace rowhalo {

namespace {

/// Throws std::runtime_error naming `call` when a call of PETSc failed.
void check_petsc(PetscErrorCode code, const char* call, const char* file, int line) {
  if (code == 0) return;
  const char* text = nullptr;
  PetscErrorMessage(code, &text, nullptr);
  throw std::runtime_error(fmt::format("{}:{}: {} failed: {}", file, line, call,
                                       text ? text : fmt::format("error {}", int(code))));
}
#define ROWHALO_PETSC(call) check_petsc((call), #call, __FILE__, __LINE__)

/// Collective. Runs `calls`, each of which returns on every rank, with an error where it fails: all
/// ranks then throw AgreedError. A call that fails on one rank while others wait in it for that
/// rank would hang, so what may lack memory there is asked for beforehand (petsc_refusal).
void together_with_petsc(const Comm& comm, const std::function<void()>& calls) {
  take_resources(comm, "PETSc", calls);
}

/// An object of PETSc's within a session. The destructor is collective: what ends a session's work
/// early is an AgreedError, which all ranks hold.
template <class Handle, PetscErrorCode (*destroy)(Handle*)>
class PetscOwner {
 public:
  PetscOwner() = default;
  ~PetscOwner() { (void)destroy(&handle_); }
  PetscOwner(const PetscOwner&) = delete;
  PetscOwner& operator=(const PetscOwner&) = delete;

  operator Handle() const { return handle_; }
  Handle* out() { return &handle_; }

 private:
  Handle handle_ = nullptr;
};
using PetscMatrix = PetscOwner<Mat, MatDestroy>;
using PetscVector = PetscOwner<Vec, VecDestroy>;

/// Entries per row, of columns that this rank owns and of others.
using EntriesPerRow = std::array<std::vector<PetscInt>, 2>;

EntriesPerRow row_lengths(const LocalMatrix& matrix) {
  EntriesPerRow lengths;
  for (std::vector<PetscInt>& part : lengths) part.resize(matrix.owned_rows);
  for (LocalIndex row = 0; row < matrix.owned_rows; ++row) {
    for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      ++lengths[matrix.indices[k] < matrix.owned_columns ? 0 : 1][row];
    }
  }
  return lengths;
}

/// Local columns as new global numbers, in PETSc's index type.
std::vector<PetscInt> global_columns(const Comm& comm, const LocalMatrix& matrix) {
  std::vector<PetscInt> numbers(matrix.local_columns());
  const GlobalIndex first = matrix.columns.starts[comm.rank];
  for (LocalIndex column = 0; column < matrix.local_columns(); ++column) {
    numbers[column] = checked_cast<PetscInt>(column < matrix.owned_columns
                                                 ? first + column
                                                 : matrix.ghosts[column - matrix.owned_columns],
                                             "column for PETSc");
  }
  return numbers;
}

/// Local. Our rows into `petsc`, whose memory is there.
void set_rows(const Comm& comm, const LocalMatrix& matrix, Precision precision, Progress& progress,
              Mat petsc) {
  const std::vector<PetscInt> numbers = global_columns(comm, matrix);
  std::vector<PetscInt> columns;
  std::vector<PetscScalar> values;
  for (LocalIndex row = 0; row < matrix.owned_rows; ++row) {
    columns.clear();
    values.clear();
    for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      columns.push_back(numbers[matrix.indices[k]]);
      values.push_back(rounded_to(matrix_type(precision), matrix.values[k]));
    }
    const auto number = static_cast<PetscInt>(matrix.rows.starts[comm.rank] + row);
    ROWHALO_PETSC(MatSetValues(petsc, 1, &number, static_cast<PetscInt>(columns.size()),
                               columns.data(), values.data(), INSERT_VALUES));
    if (row % 65536 != 0) continue;
    progress.tick();
    if (progress.stop_requested()) throw std::runtime_error("interrupted by a signal");
  }
}

/// What this rank's part of the matrix takes in PETSc in so many copies, `vectors` with it, and the
/// arrays of ours while it is made: values and columns once; per row its lengths, offsets and
/// places.
std::int64_t bytes_in_petsc(const LocalMatrix& matrix, int copies, int vectors) {
  constexpr std::int64_t session = std::int64_t{8} << 20;  // and messages
  constexpr std::int64_t entry = sizeof(PetscScalar) + sizeof(PetscInt);
  constexpr std::int64_t row = 12 * sizeof(PetscInt), ghost = 64;
  return session + copies * matrix.offsets.back() * entry +
         matrix.owned_rows * (row + vectors * std::int64_t{sizeof(PetscScalar)}) +
         std::int64_t{matrix.local_columns()} * std::int64_t{sizeof(PetscInt)} +
         (matrix.local_columns() - matrix.owned_columns) * ghost;
}

void start_petsc(const Comm& comm) {
  unsetenv("PETSC_OPTIONS");
  PETSC_COMM_WORLD = comm.handle;
  together_with_petsc(comm, [] {
    // A call that fails says so by its code, and nothing else.
    ROWHALO_PETSC(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
    ROWHALO_PETSC(PetscOptionsSetValue(nullptr, "-skip_petscrc", "true"));
    ROWHALO_PETSC(PetscOptionsSetValue(nullptr, "-no_signal_handler", "true"));
    ROWHALO_PETSC(PetscInitializeNoArguments());
    ROWHALO_PETSC(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
  });
}

std::string petsc_refusal(const Comm& comm, const LocalMatrix& matrix, int copies, int vectors) {
  constexpr std::int64_t limit = std::numeric_limits<PetscInt>::max();
  if (matrix.info.rows > limit || matrix.info.columns > limit ||
      max_over_ranks(comm, matrix.offsets.back()) > limit) {
    return fmt::format("this PETSc has {}-bit indices, too few for this matrix",
                       8 * sizeof(PetscInt));
  }
  return lacking_memory(comm, bytes_in_petsc(matrix, copies, vectors), "its copy of the matrix");
}

/// Collective. `work` between start and end of a PETSc that is deaf to the environment. Why PETSc
/// cannot hold the matrix and so many vectors, or what AgreedError ended the work; empty: nothing
/// did. The same on all ranks.
std::string in_petsc_session(const Comm& comm, const LocalMatrix& matrix, int copies, int vectors,
                             const std::function<void()>& work) {
  std::string unusable = petsc_refusal(comm, matrix, copies, vectors);
  if (!unusable.empty()) return unusable;
  bool started = false;
  try {
    start_petsc(comm);
    started = true;
    work();
  } catch (const AgreedError& lack) {
    unusable = lack.what();
  }
  if (!started) return unusable;
  // Newer versions would name on stdout those that they had no use for.
  (void)PetscOptionsClear(nullptr);
  (void)PetscFinalize();
  return unusable;
}

/// Local. The owned entries of a vector.
void set_entries(Vec vector, std::span<const double> entries) {
  PetscScalar* values = nullptr;
  ROWHALO_PETSC(VecGetArray(vector, &values));
  std::ranges::copy(entries, values);
  ROWHALO_PETSC(VecRestoreArray(vector, &values));
}

/// Collective. Values rounded to `precision`. Throws AgreedError where a rank has not enough
/// memory.
void make_petsc_matrix(const Comm& comm, const LocalMatrix& matrix, Precision precision,
                       Progress& progress, PetscMatrix& petsc) {
  EntriesPerRow lengths;
  agree(comm, [&] { lengths = row_lengths(matrix); });
  together_with_petsc(comm, [&] {
    ROWHALO_PETSC(MatCreate(comm.handle, petsc.out()));
    ROWHALO_PETSC(MatSetSizes(petsc, matrix.owned_rows, matrix.owned_columns, matrix.info.rows,
                              matrix.info.columns));
    ROWHALO_PETSC(MatSetType(petsc, MATAIJ));
    ROWHALO_PETSC(MatSeqAIJSetPreallocation(petsc, 0, lengths[0].data()));
    ROWHALO_PETSC(MatMPIAIJSetPreallocation(petsc, 0, lengths[0].data(), 0, lengths[1].data()));
  });
  together_with_petsc(comm, [&] { set_rows(comm, matrix, precision, progress, petsc); });
  const LibraryCall call(progress);
  together_with_petsc(comm, [&] {
    ROWHALO_PETSC(MatAssemblyBegin(petsc, MAT_FINAL_ASSEMBLY));
    ROWHALO_PETSC(MatAssemblyEnd(petsc, MAT_FINAL_ASSEMBLY));
  });
}

/// Collective. Puts the transpose in place of the matrix.
void transpose(const Comm& comm, PetscMatrix& matrix) {
  together_with_petsc(comm, [&] {
    Mat transposed = nullptr;
    ROWHALO_PETSC(MatTranspose(matrix, MAT_INITIAL_MATRIX, &transposed));
    ROWHALO_PETSC(MatDestroy(matrix.out()));
    *matrix.out() = transposed;
  });
}

/// In the order of ResidualNorm.
constexpr KSPNormType petsc_norms[] = {KSP_NORM_NATURAL, KSP_NORM_UNPRECONDITIONED,
                                       KSP_NORM_PRECONDITIONED};

const char* petsc_preconditioner(const std::string& name) {
  return name == "jacobi" ? PCJACOBI : name == "block-jacobi" ? PCPBJACOBI : PCNONE;
}

/// Stops where ours does: the same norm, tolerance and first guess.
void make_solver(const PetscSystem& system, Mat matrix, const std::string& name, KSP* made) {
  ROWHALO_PETSC(KSPCreate(system.comm.handle, made));
  const KSP solver = *made;
  ROWHALO_PETSC(KSPSetOperators(solver, matrix, matrix));
  ROWHALO_PETSC(KSPSetType(solver, name.c_str()));
  PC preconditioner = nullptr;
  ROWHALO_PETSC(KSPGetPC(solver, &preconditioner));
  ROWHALO_PETSC(PCSetType(preconditioner, petsc_preconditioner(system.options.preconditioner)));
  const bool right = name == "bcgs";  // as ours: then the norm is that of b - A x
  if (right) ROWHALO_PETSC(KSPSetPCSide(solver, PC_RIGHT));
  ROWHALO_PETSC(KSPSetNormType(solver, right ? KSP_NORM_UNPRECONDITIONED
                                             : petsc_norms[static_cast<int>(system.options.norm)]));
  const SolverOptions& options = system.options;
  const bool exact = options.iterations > 0;
  ROWHALO_PETSC(KSPSetTolerances(solver, exact ? 0 : options.tolerance, 0, 1e300,
                                 exact ? options.iterations : options.max_iterations));
  if (exact) {
    ROWHALO_PETSC(KSPSetConvergenceTest(solver, KSPConvergedSkip, nullptr, nullptr));
  }
  ROWHALO_PETSC(KSPSetUp(solver));
}

/// Throws AgreedError.
PetscSolverReport run_solver(const PetscSystem& system, const std::string& name, Mat matrix,
                             Vec b) {
  PetscSolverReport report;
  report.name = name;
  PetscOwner<KSP, KSPDestroy> solver;
  PetscVector x, rest;
  together_with_petsc(system.comm, [&] {
    make_solver(system, matrix, name, solver.out());
    ROWHALO_PETSC(VecDuplicate(b, x.out()));
    ROWHALO_PETSC(VecDuplicate(b, rest.out()));
  });
  for (int run = 0; run < 2; ++run) {
    ROWHALO_MPI(MPI_Barrier(system.comm.handle));
    double seconds = 0;
    together_with_petsc(system.comm, [&] {
      const double start = now_seconds();
      ROWHALO_PETSC(KSPSolve(solver, b, x));
      seconds = now_seconds() - start;
    });
    report.solve_seconds = max_over_ranks(system.comm, seconds);
  }
  together_with_petsc(system.comm, [&] {
    PetscInt iterations = 0;
    ROWHALO_PETSC(KSPGetIterationNumber(solver, &iterations));
    report.iterations = static_cast<int>(iterations);
    report.iteration_seconds = report.solve_seconds / std::max(1, report.iterations);
    KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
    ROWHALO_PETSC(KSPGetConvergedReason(solver, &reason));
    report.end = KSPConvergedReasons[reason];
    PetscReal of_b = 0, of_rest = 0;
    ROWHALO_PETSC(MatMult(matrix, x, rest));
    ROWHALO_PETSC(VecAYPX(rest, -1, b));
    ROWHALO_PETSC(VecNorm(rest, NORM_2, &of_rest));
    ROWHALO_PETSC(VecNorm(b, NORM_2, &of_b));
    report.true_residual = of_b > 0 ? of_rest / of_b : of_rest;
  });
  return report;
}

}  // namespace

PetscResult with_petsc::product(const Comm& comm, const LocalMatrix& matrix,
                                PetscOperation operation, Precision precision,
                                const std::vector<double>& x, const BatchOptions& options,
                                Progress& progress) {
  constexpr int vectors = 4;  // x twice, y, and the product that is returned
  PetscResult result;
  progress.phase("validate with PETSc: matrix");
  const bool transposed = operation == PetscOperation::mult_transpose;
  const auto multiply = transposed ? MatMultTranspose : MatMult;
  result.unusable = in_petsc_session(comm, matrix, transposed ? 2 : 1, vectors, [&] {
    progress.phase("validate with PETSc: product");
    PetscMatrix a;
    PetscVector in[2], y;  // two vectors of equal content in turn, as in our own products
    make_petsc_matrix(comm, matrix, precision, progress, a);
    if (transposed) transpose(comm, a);
    together_with_petsc(comm, [&] {
      ROWHALO_PETSC(
          MatCreateVecs(a, transposed ? y.out() : in[0].out(), transposed ? in[0].out() : y.out()));
      set_entries(in[0], std::span(x).first(matrix.owned_columns));
      ROWHALO_PETSC(VecDuplicate(in[0], in[1].out()));
      ROWHALO_PETSC(VecCopy(in[0], in[1]));
      ROWHALO_PETSC(multiply(a, in[0], y));  // takes its buffers at first use
    });
    agree(comm, [&] { result.product.resize(matrix.owned_rows); });
    ProductSequence sequence([&](std::int64_t k) { ROWHALO_PETSC(multiply(a, in[k % 2], y)); });
    DeviceClock clock;
    result.seconds = measure_batches({comm, clock, progress}, options, sequence).median();
    const PetscScalar* products = nullptr;
    ROWHALO_PETSC(VecGetArrayRead(y, &products));
    std::copy_n(products, matrix.owned_rows, result.product.begin());
    ROWHALO_PETSC(VecRestoreArrayRead(y, &products));
  });
  return result;
}

PetscSolvers with_petsc::solve(const PetscSystem& system, const std::vector<std::string>& names,
                               Progress& progress) {
  constexpr int vectors = 16;  // those that solvers and preconditioners work with among them
  PetscSolvers solvers;
  progress.phase("solve with PETSc: matrix");
  solvers.unusable = in_petsc_session(system.comm, system.matrix, 1, vectors, [&] {
    progress.phase("solve with PETSc: solvers");
    PetscMatrix matrix;
    PetscVector b;
    make_petsc_matrix(system.comm, system.matrix, Precision::fp64, progress, matrix);
    together_with_petsc(system.comm, [&] {
      ROWHALO_PETSC(MatCreateVecs(matrix, nullptr, b.out()));
      set_entries(b, system.b);
    });
    for (const std::string& name : names) {
      const LibraryCall call(progress);
      solvers.reports.push_back(run_solver(system, name, matrix, b));
    }
  });
  return solvers;
}

PetscRefill with_petsc::refill(const Comm& comm, const LocalMatrix& matrix, Progress& progress) {
  constexpr int copies = 3, refills = 9;  // rows and columns of the entries, and where they go
  PetscRefill result;
  result.unusable = in_petsc_session(comm, matrix, copies, 0, [&] {
    std::vector<PetscInt> rows, columns;
    agree(comm, [&] {
      const std::vector<PetscInt> numbers = global_columns(comm, matrix);
      for (LocalIndex row = 0; row < matrix.owned_rows; ++row) {
        const auto number = static_cast<PetscInt>(matrix.rows.starts[comm.rank] + row);
        rows.resize(static_cast<std::size_t>(matrix.offsets[row + 1]), number);
      }
      for (const LocalIndex index : matrix.indices) columns.push_back(numbers[index]);
    });
    PetscMatrix a;
    const LibraryCall call(progress);
    together_with_petsc(comm, [&] {
      ROWHALO_PETSC(MatCreate(comm.handle, a.out()));
      ROWHALO_PETSC(MatSetSizes(a, matrix.owned_rows, matrix.owned_columns, matrix.info.rows,
                                matrix.info.columns));
      ROWHALO_PETSC(MatSetType(a, MATAIJ));
      ROWHALO_PETSC(MatSetPreallocationCOO(a, std::ssize(rows), rows.data(), columns.data()));
    });
    std::vector<double> seconds;
    for (int k = 0; k < refills; ++k) {
      ROWHALO_MPI(MPI_Barrier(comm.handle));
      double own = 0;
      together_with_petsc(comm, [&] {
        const double start = now_seconds();
        ROWHALO_PETSC(MatSetValuesCOO(a, matrix.values.data(), INSERT_VALUES));
        own = now_seconds() - start;
      });
      seconds.push_back(max_over_ranks(comm, own));
    }
    result.seconds = median(std::move(seconds));
  });
  return result;
}

}  // namespace rowhalo

/// Where librowhalo_with_petsc.so is entered.
extern "C" const rowhalo::PetscCalls rowhalo_with_petsc_calls{
    &rowhalo::with_petsc::product, &rowhalo::with_petsc::solve, &rowhalo::with_petsc::refill};
