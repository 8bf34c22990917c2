// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/tune/tune.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "miniapp/halo/memory/memory.hpp"
#include "miniapp/spmv/operator.hpp"
#include "miniapp/tune/tuning_file.hpp"
#include "tests/miniapp/problem.hpp"
#include "tests/partition/matrices.hpp"

using namespace rowhalo;
using namespace rowhalo::test;

namespace {

/// A cube of cells with integers for values.
DistributedCsr cube(const Comm& comm, GlobalIndex side) {
  DistributedCsr matrix = even_share(comm, make_grid_matrix(side, side, side, 1));
  for (std::size_t k = 0; k < matrix.values.size(); ++k) {
    matrix.values[k] = 1 + static_cast<double>(k % 7);
  }
  return matrix;
}

LocalRows rows_of(const DistributedCsr& matrix) {
  return {matrix.first_row, matrix.first_row, matrix.local_rows(),
          matrix.offsets,   matrix.columns,   matrix.values};
}

/// The sum of y = A times ones on all ranks less that of the values, which are integers.
double excess(const Comm& comm, const LocalRows& rows, const Tuning& tuning) {
  Operator op(comm, rows, tuning);
  const HaloVector x = op.make_vector();
  const std::vector<double> ones(x.owned, 1.0);
  copy_between(tuning.device, x.data, ones.data(), ones.size() * sizeof(double));
  VectorMemory memory(tuning.device, ones.size() * sizeof(double));
  op.apply(1, x, 0, reinterpret_cast<double*>(memory.data()));
  if (tuning.device == Device::gpu) synchronize_device();
  op.check();
  std::vector<double> y(ones.size());
  copy_between(tuning.device, y.data(), memory.data(), y.size() * sizeof(double));
  op.close();
  double sum = 0;
  for (const double entry : y) sum += entry;
  for (const double value : rows.values) sum -= value;
  return sum_reals_over_ranks(comm, sum);
}

bool is_chosen(const auto& candidates, const std::string& name) {
  return std::ranges::any_of(candidates, [&](const auto& one) {
    return one.name == name && one.outcome == Outcome::chosen;
  });
}

}  // namespace

TEST_CASE("trials for an operator that takes new values choose formats that do") {
  const Comm comm = world();
  DistributedCsr matrix = cube(comm, 6);
  TuneRequest request;
  request.named.device = test_site().device;
  request.named.refillable = true;
  const Tuned tuned = tune(comm, rows_of(matrix), request);
  REQUIRE_ALL_RANKS(tuned.tuning.refillable);
  Operator op(comm, rows_of(matrix), tuned.tuning);
  for (double& value : matrix.values) value += 3;
  op.refill(matrix.values.data());
  REQUIRE_ALL_RANKS(op.tuning().format == tuned.tuning.format);
  op.close();
  REQUIRE_ALL_RANKS(excess(comm, rows_of(matrix), tuned.tuning) == 0);
}

TEST_CASE("trials on an application's rows name what its operator is made with") {
  const Comm comm = world();
  const DistributedCsr matrix = cube(comm, 12);
  const Device device = test_site().device;
  const Tuned tuned = tune(comm, rows_of(matrix), {.named = {.device = device}});
  std::string names = tuned.tuning.format + tuned.tuning.boundary_format + tuned.tuning.transport;
  broadcast(comm, names);
  REQUIRE_ALL_RANKS(names ==
                    tuned.tuning.format + tuned.tuning.boundary_format + tuned.tuning.transport);
  REQUIRE_ALL_RANKS(is_chosen(tuned.formats, tuned.tuning.format));
  REQUIRE_ALL_RANKS(is_chosen(tuned.transports, tuned.tuning.transport));
  REQUIRE_ALL_RANKS(excess(comm, rows_of(matrix), tuned.tuning) == 0);
}

TEST_CASE("what a request names stays, and canonical formats can be asked for") {
  const Comm comm = world();
  const DistributedCsr matrix = cube(comm, 8);
  const Device device = test_site().device;
  const std::string plain = device == Device::gpu ? "csr-vector" : "csr";
  const Tuned named = tune(comm, rows_of(matrix),
                           {.named = {.format = plain, .transport = "mpi", .device = device}});
  REQUIRE_ALL_RANKS(named.tuning.format == plain && named.tuning.transport == "mpi");
  REQUIRE_ALL_RANKS(named.formats.empty() && named.transports.empty());
  const Tuned canonical =
      tune(comm, rows_of(matrix), {.named = {.device = device}, .canonical = true});
  REQUIRE_ALL_RANKS(find_format(canonical.tuning.format, device).canonical);
  for (const FormatCandidate& one : canonical.formats) {
    REQUIRE_ALL_RANKS(find_format(one.name, device).canonical);
  }
  REQUIRE_ALL_RANKS(excess(comm, rows_of(matrix), canonical.tuning) == 0);
  std::string message = agreed_refusal(
      [&] { tune(comm, rows_of(matrix), {.named = {.format = "csx", .device = device}}); });
  REQUIRE_ALL_RANKS(message.find("csx") != std::string::npos);
}

TEST_CASE("a tuning file makes an operator") {
  const Comm comm = world();
  const DistributedCsr matrix = cube(comm, 8);
  const std::string path =
      (std::filesystem::temp_directory_path() / ("rowhalo_tuning_" + std::to_string(comm.size)))
          .string();
  TuningFile file;
  file.made_for.device = "cpu";
  file.made_for.precision = "fp64";
  file.choice = {.format = "sell:c=8",
                 .boundary_format = "csr",
                 .transport = "mpi",
                 .schedule = "overlap",
                 .partition = "nnz"};
  file.formats = {{"sell", false, 1e-6, "chosen"}, {"dia", false, {}, "skipped"}};
  file.transports = {{"mpi", true, 2e-6, "chosen"}};
  file.seconds = 1e-6;
  if (comm.rank == 0) std::ofstream(path) << tuning_text(file, {});
  ROWHALO_MPI(MPI_Barrier(comm.handle));
  const TuningFile read = read_tuning_file(path, comm);
  REQUIRE_ALL_RANKS(read.formats == file.formats && read.transports == file.transports);
  const Tuning tuning = read_tuning(path, comm);
  REQUIRE_ALL_RANKS(tuning.format == "sell:c=8" && tuning.boundary_format == "csr");
  REQUIRE_ALL_RANKS(tuning.transport == "mpi" && tuning.order == Order::overlap);
  REQUIRE_ALL_RANKS(excess(comm, rows_of(matrix), tuning) == 0);
  if (comm.rank == 0) {
    file.made_for.precision = "fp12";
    std::ofstream(path) << tuning_text(file, {});
  }
  ROWHALO_MPI(MPI_Barrier(comm.handle));
  const std::string message = agreed_refusal([&] { read_tuning(path, comm); });
  REQUIRE_ALL_RANKS(message.find("made_for.precision: is fp12") != std::string::npos);
  if (comm.rank == 0) std::filesystem::remove(path);
}
