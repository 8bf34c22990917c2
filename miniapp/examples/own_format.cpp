// SPDX-License-Identifier: BSD-3-Clause
//
// A format of your own without a change to Rowhalo: a kernel that keeps its rows as pairs of column
// and value, and the table entry that makes it. mpirun -n 3 example_own_format
#include <utility>

#include "check.hpp"
#include "io/sources.hpp"
#include "miniapp/spmv/operator.hpp"

namespace {

using namespace rowhalo;

/// One list of (column, value) per listed row.
class PairsKernel final : public SpmvKernel {
 public:
  PairsKernel(const CsrView& matrix, RowListView rows) {
    if (matrix.precision != Precision::fp64) throw InputError("format pairs: takes fp64 only");
    const auto* values = static_cast<const double*>(matrix.values);
    for (LocalIndex k = 0; k < rows.count; ++k) {
      const LocalIndex row = rows[k];
      rows_.push_back({row, {}});
      for (Offset e = matrix.offsets[row]; e < matrix.offsets[row + 1]; ++e) {
        rows_.back().second.emplace_back(matrix.indices[e], values[e]);
        ++entries_;
      }
    }
  }

  KernelWork work() const override {
    KernelWork work;
    work.matrix_bytes = work.bytes = entries_ * 16;
    work.stored_entries = entries_;
    work.flops = 2 * entries_;
    return work;
  }

 private:
  void multiply(const LocalProduct& product, Stream) const override {
    const double* x = product.x.as<double>();
    double* y = product.y.as<double>();
    for (const auto& [row, pairs] : rows_) {
      double sum = 0;
      for (const auto& [column, value] : pairs) sum += value * x[column];
      const double added = product.alpha * sum;
      y[row] = product.beta == 0 ? added : added + product.beta * y[row];
    }
  }

  std::vector<std::pair<LocalIndex, std::vector<std::pair<LocalIndex, double>>>> rows_;
  std::int64_t entries_ = 0;
};

const FormatEntry pairs{.name = "pairs",
                        .summary = "lists of columns and values",
                        .device = Device::cpu,
                        .canonical = false,
                        .automatic = false,
                        .repeatable = true,
                        .baseline = false,
                        .reduced_precision = false,
                        .make = [](const CsrView& matrix, RowListView rows,
                                   const Spec&) -> std::unique_ptr<SpmvKernel> {
                          return std::make_unique<PairsKernel>(matrix, rows);
                        },
                        .predict = nullptr};

}  // namespace

int main(int argc, char** argv) {
  return run_example(argc, argv, [](const Comm& comm) {
    Progress progress;
    Operator a(comm, load_matrix("stencil7:24", 0, comm, progress), {.own_format = &pairs});
    const HaloVector x = ones_for(a);
    std::vector<double> y(a.local().owned_rows);
    a.apply(2, x, 0, y.data());
    const bool right = is_product(comm, "own format", y, a.local().values, 2);
    a.close();
    return right;
  });
}
