// SPDX-License-Identifier: BSD-3-Clause
//
// Dense vectors as Matrix Market array files with one column, written by every rank in part (they
// are read as the matrices that they are: io/vector_of_matrix.hpp). Numbers are written in the
// shortest form that reads back to the same bits.
#include <fmt/format.h>
#include <omp.h>

#include <cmath>
#include <iterator>

#include "io/parallel_output.hpp"
#include "io/sources.hpp"

namespace rowhalo {

namespace {

/// One value a line, in the shortest form; NaN without its sign, which not every reader takes.
template <class T>
void format_values(std::string& text, const double* values, std::int64_t count) {
  for (std::int64_t k = 0; k < count; ++k) {
    const T value = static_cast<T>(values[k]);
    if (std::isnan(value))
      text += "nan\n";
    else
      fmt::format_to(std::back_inserter(text), "{}\n", value);
  }
}

/// The share as text, in one part per thread.
std::vector<std::string> formatted(const std::vector<double>& share, Precision precision) {
  const auto size = static_cast<std::int64_t>(share.size());
  std::vector<std::string> parts(omp_get_max_threads());
  const auto count = static_cast<std::int64_t>(parts.size());
#pragma omp parallel for schedule(static, 1)
  for (std::int64_t part = 0; part < count; ++part) {
    const std::int64_t begin = size * part / count, end = size * (part + 1) / count;
    if (vector_type(precision) == NumberType::fp64) {
      format_values<double>(parts[part], share.data() + begin, end - begin);
    } else {
      format_values<float>(parts[part], share.data() + begin, end - begin);
    }
  }
  return parts;
}

void write_matrix_market_vector(const std::string& name, const std::vector<double>& share,
                                Precision precision, const Comm& comm, Progress& progress) {
  std::vector<std::string> parts = formatted(share, precision);
  const std::int64_t size = sum_over_ranks(comm, static_cast<std::int64_t>(share.size()));
  if (comm.rank == 0) {
    parts.insert(parts.begin(),
                 fmt::format("%%MatrixMarket matrix array real general\n{} 1\n", size));
  }
  ParallelOutput file(name, comm);
  file.append(0, parts, progress);
  file.finish();
}

}  // namespace

extern const VectorFunctions matrix_market_vectors{nullptr, write_matrix_market_vector};

}  // namespace rowhalo
