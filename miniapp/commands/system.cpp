// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/commands/system.hpp"

#include <fmt/format.h>

#include <cmath>

#include "miniapp/check/validation.hpp"
#include "miniapp/check/vector_spec.hpp"
#include "partition/matrix/directory.hpp"

namespace rowhalo {

namespace {

/// Entries of a vector at the columns of `matrix`, from those that ranks own.
std::vector<double> at_columns(const Comm& comm, const LocalMatrix& matrix,
                               const std::vector<double>& owned) {
  const std::vector<double> share =
      scatter<double>(comm, matrix.info.rows, matrix.source_rows, owned);
  return gather<double>(comm, matrix.info.columns, share, matrix.source_columns);
}

/// A x by the reference; `x` per local column.
std::vector<double> reference_image(const LocalMatrix& matrix, const std::vector<double>& x) {
  const std::vector<double> y0(matrix.owned_rows, 0.0);
  return reference_product({matrix, Precision::fp64, 1, 0, x, y0, nullptr});
}

/// Entries whose squares are beyond the range of a double are scaled by a power of two.
double norm_over_ranks(const Comm& comm, const std::vector<double>& values) {
  constexpr double safe = 0x1p400;
  double largest = 0;
  for (const double value : values) largest = std::fmax(largest, std::fabs(value));
  largest = max_over_ranks(comm, largest);
  const bool scaled =
      std::isfinite(largest) && largest > 0 && (largest > safe || largest < 1 / safe);
  const int exponent = scaled ? std::ilogb(largest) : 0;
  double sum = 0;
  for (const double value : values) {
    const double part = scaled ? std::scalbn(value, -exponent) : value;
    sum += part * part;
  }
  return std::scalbn(std::sqrt(sum_reals_over_ranks(comm, sum)), exponent);
}

}  // namespace

bool solves_system(const SolverEntry& entry) {
  return entry.kind == SolverKind::symmetric || entry.kind == SolverKind::general;
}

double relative(double part, double whole) {
  return whole > 0 ? part / whole : part;
}

System make_system(const Experiment& e, const SolverEntry& entry) {
  System system;
  const LocalMatrix& matrix = e.problem.matrix;
  const std::vector<double>& x = e.operands.x;
  if (entry.kind == SolverKind::pagerank) {
    system.b.assign(matrix.owned_rows, 1.0 / static_cast<double>(matrix.info.rows));
  } else if (entry.kind == SolverKind::power) {
    system.b.assign(x.begin(), x.begin() + matrix.owned_rows);
  } else if (e.options.rhs == manufactured_rhs) {
    system.b = reference_image(matrix, x);
    system.solution.emplace(x.begin(), x.begin() + matrix.owned_rows);
  } else {
    const VectorSpec rhs(e.options.rhs, "--rhs", matrix.info.rows, e.job.comm, e.job.progress);
    system.b = rhs.entries(matrix.source_rows, Precision::fp64);
  }
  return system;
}

double relative_difference(const Comm& comm, const std::vector<double>& a,
                           const std::vector<double>& b) {
  std::vector<double> rest(a.size());
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = a[i] - b[i];
  return relative(norm_over_ranks(comm, rest), norm_over_ranks(comm, b));
}

double true_residual(const Experiment& e, const System& system, const std::vector<double>& x) {
  const LocalMatrix& matrix = e.problem.matrix;
  return relative_difference(e.job.comm, reference_image(matrix, at_columns(e.job.comm, matrix, x)),
                             system.b);
}

double eigenpair_residual(const Experiment& e, const std::vector<double>& x, double lambda) {
  const LocalMatrix& matrix = e.problem.matrix;
  std::vector<double> rest = reference_image(matrix, at_columns(e.job.comm, matrix, x));
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= lambda * x[i];
  return relative(norm_over_ranks(e.job.comm, rest), norm_over_ranks(e.job.comm, x));
}

double pagerank_residual(const Experiment& e, const std::vector<double>& x,
                         const std::vector<double>& dangling, double damping) {
  const Comm& comm = e.job.comm;
  const LocalMatrix& matrix = e.problem.matrix;
  const std::vector<double> image = reference_image(matrix, at_columns(comm, matrix, x));
  double nowhere = 0, sum = 0, change = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    nowhere += dangling[i] * x[i];
    sum += x[i];
  }
  nowhere = sum_reals_over_ranks(comm, nowhere);
  const double teleport = (1 - damping + damping * nowhere) / static_cast<double>(matrix.info.rows);
  for (std::size_t i = 0; i < x.size(); ++i) {
    change += std::fabs(damping * image[i] + teleport - x[i]);
  }
  return sum_reals_over_ranks(comm, change) + std::fabs(sum_reals_over_ranks(comm, sum) - 1);
}

double asymmetry(const Experiment& e) {
  const LocalMatrix& matrix = e.problem.matrix;
  std::vector<double> vectors[2], images[2];
  for (int k = 0; k < 2; ++k) {
    const VectorSpec spec(fmt::format("random:seed={}", 271 + k), "--x", matrix.info.columns,
                          e.job.comm, e.job.progress);
    vectors[k] = spec.entries(matrix.source_columns, Precision::fp64);
    images[k] = reference_image(matrix, vectors[k]);
    vectors[k].resize(matrix.owned_rows);
  }
  double products[2] = {};
  for (int k = 0; k < 2; ++k) {
    for (std::size_t i = 0; i < images[k].size(); ++i) {
      products[k] += vectors[k][i] * images[1 - k][i];
    }
    products[k] = sum_reals_over_ranks(e.job.comm, products[k]);
  }
  const double size =
      norm_over_ranks(e.job.comm, vectors[0]) * norm_over_ranks(e.job.comm, images[1]) +
      norm_over_ranks(e.job.comm, vectors[1]) * norm_over_ranks(e.job.comm, images[0]);
  return relative(std::fabs(products[0] - products[1]), size);
}

}  // namespace rowhalo
