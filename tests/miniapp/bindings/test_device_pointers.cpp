// SPDX-License-Identifier: BSD-3-Clause
//
// The C interface with arrays in the memory of a GPU: rows, x and y; streams; and addresses of the
// host, which are refused.
#include <cmath>
#include <vector>

#include "kernels/gpu/device/runtime.hpp"
#include "miniapp/bindings/c/rowhalo.h"
#include "tests/miniapp/bindings/checks.h"

using namespace rowhalo;

namespace {

/// tridiag(-1, 4, -1) with `own` rows per rank.
struct Tridiagonal {
  std::vector<std::int32_t> offsets{0}, columns;
  std::vector<double> values;

  Tridiagonal(int rank, int ranks, int own) {
    for (int row = own * rank; row < own * (rank + 1); ++row) {
      for (int column = std::max(row - 1, 0); column <= std::min(row + 1, own * ranks - 1);
           ++column) {
        columns.push_back(column);
        values.push_back(column == row ? 4 : -1);
      }
      offsets.push_back(static_cast<std::int32_t>(columns.size()));
    }
  }
};

void run(int rank, int ranks) {
  constexpr int own = 1000;
  const Tridiagonal matrix(rank, ranks, own);
  const auto offsets = device_array(matrix.offsets), columns = device_array(matrix.columns);
  const auto values = device_array(matrix.values);
  rowhalo_csr rows{own, own, offsets.data(), columns.data(), values.data(), 4, 4, 8};
  rowhalo_operator* op = nullptr;
  CHECK_OK(rowhalo_create(MPI_COMM_WORLD, &rows, nullptr, &op));
  rowhalo_operator_info info{};
  CHECK_OK(rowhalo_get_info(op, &info));
  CHECK(info.on_gpu == 1);
  CHECK(info.converted_bytes == offsets.bytes() + columns.bytes() + values.bytes());

  std::vector<double> x(own), host(own);
  for (int k = 0; k < own; ++k) x[k] = (own * rank + k) % 7;
  const DeviceArray<double> device_x = device_array(x), y(own), found(own);
  const StreamHandle stream;
  for (int round = 0; round < 3; ++round) {
    CHECK_OK(rowhalo_apply(op, 2, device_x.data(), 0, y.data(), stream.stream().handle));
    CHECK_OK(rowhalo_check(op, stream.stream().handle));
  }
  host = y.to_host();
  bool right = true;
  for (int k = 0; k < own; ++k) {
    const int row = own * rank + k, last = own * ranks - 1;
    const int sum =
        4 * (row % 7) - (row > 0 ? (row - 1) % 7 : 0) - (row < last ? (row + 1) % 7 : 0);
    right = right && host[k] == 2 * sum;
  }
  CHECK(right);
  CHECK_FAILS(rowhalo_apply(op, 1, host.data(), 0, y.data(), nullptr), ROWHALO_BAD_INPUT,
              "x is in host memory");
  CHECK_FAILS(rowhalo_apply(op, 1, device_x.data(), 0, host.data(), nullptr), ROWHALO_BAD_INPUT,
              "y is in host memory");

  rowhalo_solver* solver = nullptr;
  rowhalo_report report{};
  CHECK_OK(rowhalo_solver_create(op, "tolerance=1e-12", stream.stream().handle, &solver));
  CHECK_OK(rowhalo_solve(solver, y.data(), found.data(), &report));
  CHECK(report.converged == 1);
  host = found.to_host();
  double error = 0;
  for (int k = 0; k < own; ++k) error = std::max(error, std::abs(host[k] - 2 * x[k]));
  CHECK(error < 1e-9);
  CHECK_OK(rowhalo_solver_destroy(&solver));
  CHECK_OK(rowhalo_destroy(&op));

  // Rows on the host, vectors on the GPU.
  rows = {own, own, matrix.offsets.data(), matrix.columns.data(), matrix.values.data(), 4, 4, 8};
  CHECK_OK(rowhalo_create(MPI_COMM_WORLD, &rows, "device=gpu; format=sell; refillable=on", &op));
  std::vector<double> twice = matrix.values;
  for (double& value : twice) value *= 2;
  CHECK_OK(rowhalo_refill(op, twice.data(), nullptr));
  CHECK_OK(rowhalo_apply(op, 1, device_x.data(), 0, found.data(), nullptr));
  CHECK_OK(rowhalo_check(op, nullptr));
  CHECK(found.to_host() == y.to_host());
  CHECK_OK(rowhalo_refill(op, values.data(), nullptr));  // from the device
  CHECK_OK(rowhalo_apply(op, 2, device_x.data(), 0, found.data(), nullptr));
  CHECK_OK(rowhalo_check(op, nullptr));
  CHECK(found.to_host() == y.to_host());
  CHECK_OK(rowhalo_destroy(&op));
}

}  // namespace

int main() {
  if (device_count() == 0) {
    std::puts("skipped: no CUDA device on this machine");
    return 77;
  }
  int world = 0, started = 0, rank = 0, ranks = 0;
  if (rowhalo_start(&world, &ranks, &started) != ROWHALO_SUCCESS) return 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  set_device(rank % device_count());
  run(rank, ranks);
  return rowhalo_end();
}
