// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/commands/system.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <utility>

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

/// Squares neither overflow nor underflow.
double norm_over_ranks(const Comm& comm, std::vector<double> values) {
  const int exponent = scale_entries(comm, values);
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::scalbn(std::sqrt(sum_reals_over_ranks(comm, sum)), exponent);
}

/// The same; `x` per owned entry.
std::vector<double> image_of(const Experiment& e, const std::vector<double>& x) {
  return reference_image(e.matrix, at_columns(e.job.comm, e.matrix, x));
}

/// a - factor b
std::vector<double> difference(std::vector<double> a, const std::vector<double>& b,
                               double factor = 1) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= factor * b[i];
  return a;
}

}  // namespace

double relative(double part, double whole) {
  return whole > 0 ? part / whole : part;
}

void make_rhs(const Experiment& e, const SolverEntry& entry, System& system) {
  const Comm& comm = e.job.comm;
  const LocalMatrix& matrix = e.matrix;
  if (entry.kind == SolverKind::pagerank) {
    system.b.assign(matrix.owned_rows, 1.0 / static_cast<double>(matrix.info.rows));
    return;
  }
  if (solves_system(entry) && e.options.rhs != manufactured_rhs) {
    const VectorSpec rhs(e.options.rhs, "--rhs", matrix.info.rows, comm, e.job.progress);
    system.b = rhs.entries(matrix.source_rows, Precision::fp64);
    system.scale.rhs = scale_entries(comm, system.b);
    return;
  }
  std::vector<double> x = e.x.front();
  const int exponent = scale_entries(comm, x);
  system.b.assign(x.begin(), x.begin() + matrix.owned_rows);
  if (!solves_system(entry)) return;
  const std::vector<double> owned = std::exchange(system.b, reference_image(matrix, x));
  system.scale.rhs = scale_entries(comm, system.b);
  system.solution = scaled(owned, -system.scale.rhs);
  system.scale.rhs += exponent + system.scale.matrix;
}

double relative_difference(const Comm& comm, const std::vector<double>& a,
                           const std::vector<double>& b) {
  return relative(norm_over_ranks(comm, difference(a, b)), norm_over_ranks(comm, b));
}

double true_residual(const Experiment& e, const System& system, const std::vector<double>& x) {
  return relative_difference(e.job.comm, image_of(e, x), system.b);
}

double residual_gradient(const Experiment& e, const System& system, const std::vector<double>& x) {
  const Comm& comm = e.job.comm;
  const LocalMatrix& matrix = e.matrix;
  std::vector<double> r = difference(system.b, image_of(e, x));
  scale_entries(comm, r);
  std::vector<double> products(matrix.local_columns()), absolutes(matrix.local_columns());
  for (LocalIndex row = 0; row < matrix.owned_rows; ++row) {
    for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      const double term = matrix.values[k] * r[row];
      products[matrix.indices[k]] += term;
      absolutes[matrix.indices[k]] += std::fabs(term);
    }
  }
  const auto norm_of_sums = [&](const std::vector<double>& image) {
    return norm_over_ranks(
        comm, combined_share<double>(comm, matrix.info.columns, matrix.source_columns, image,
                                     [](double& mine, double theirs) { mine += theirs; }));
  };
  return relative(norm_of_sums(products), norm_of_sums(absolutes));
}

double relative_image(const Experiment& e, const std::vector<double>& x) {
  const Comm& comm = e.job.comm;
  const LocalMatrix& matrix = e.matrix;
  std::vector<double> columns = at_columns(comm, matrix, x);
  scale_entries(comm, columns);
  std::vector<double> absolutes(matrix.owned_rows, 0.0);
  for (LocalIndex row = 0; row < matrix.owned_rows; ++row) {
    for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      absolutes[row] += std::fabs(matrix.values[k] * columns[matrix.indices[k]]);
    }
  }
  return relative(norm_over_ranks(comm, reference_image(matrix, columns)),
                  norm_over_ranks(comm, absolutes));
}

double eigenpair_residual(const Experiment& e, const std::vector<double>& x, double lambda) {
  return relative(norm_over_ranks(e.job.comm, difference(image_of(e, x), x, lambda)),
                  norm_over_ranks(e.job.comm, x));
}

double pagerank_residual(const Experiment& e, const System& system, const std::vector<double>& x,
                         double damping) {
  const Comm& comm = e.job.comm;
  const std::vector<double> image = image_of(e, x);
  double nowhere = 0, sum = 0, change = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    nowhere += system.dangling[i] * x[i];
    sum += x[i];
  }
  nowhere = sum_reals_over_ranks(comm, nowhere);
  const double teleport =
      (1 - damping + damping * nowhere) / static_cast<double>(e.matrix.info.rows);
  for (std::size_t i = 0; i < x.size(); ++i) {
    change += std::fabs(damping * image[i] + teleport - x[i]);
  }
  return sum_reals_over_ranks(comm, change) + std::fabs(sum_reals_over_ranks(comm, sum) - 1);
}

double asymmetry(const Experiment& e) {
  const LocalMatrix& matrix = e.matrix;
  std::vector<double> vectors[2], images[2];
  for (int k = 0; k < 2; ++k) {
    const VectorSpec spec(fmt::format("random:seed={}", 271 + k), "--x", matrix.info.columns,
                          e.job.comm, e.job.progress);
    vectors[k] = spec.entries(matrix.source_columns, Precision::fp64);
    images[k] = reference_image(matrix, vectors[k]);
    vectors[k].resize(matrix.owned_rows);
  }
  const auto dot = [&](const std::vector<double>& x, const std::vector<double>& y) {
    return sum_reals_over_ranks(e.job.comm, std::inner_product(x.begin(), x.end(), y.begin(), 0.0));
  };
  const double asymmetric = dot(vectors[0], images[1]) - dot(vectors[1], images[0]);
  const double size =
      norm_over_ranks(e.job.comm, vectors[0]) * norm_over_ranks(e.job.comm, images[1]) +
      norm_over_ranks(e.job.comm, vectors[1]) * norm_over_ranks(e.job.comm, images[0]);
  return relative(std::fabs(asymmetric), size);
}

}  // namespace rowhalo
