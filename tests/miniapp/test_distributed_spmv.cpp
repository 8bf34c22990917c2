// SPDX-License-Identifier: BSD-3-Clause
//
// The distributed product against the definition of its bits: every matrix, partition, renumbering,
// format, transport and schedule gives the y that a serial loop over the source's rows gives.
#include "miniapp/choose.hpp"
#include "miniapp/distributed_spmv.hpp"
#include "tests/miniapp/problem.hpp"

using namespace rowhalo;
using namespace rowhalo::test;

namespace {

/// Nothing when the format refuses the matrix on any rank.
template <class T>
std::optional<std::uint64_t> product_hash(const Problem& problem, const std::string& format,
                                          const TransportEntry& transport, Schedule schedule,
                                          ErrorRatio& ratio) {
  const PrecisionBlock block(problem.matrix, problem.precision);
  const Spec spec = Spec::parse(format, "--format");
  LocalKernels kernels;
  const auto refusal = agreed_error(problem.comm, [&] {
    kernels = make_kernels(block.view(), problem.matrix, schedule, spec, spec, Device::cpu);
  });
  if (refusal) return {};
  const std::unique_ptr<HaloExchange> halo =
      transport.make({problem.plan, sizeof(T), 2, problem.comm});
  const HaloVector vectors[2] = {halo->make_vector(), halo->make_vector()};
  const std::vector<T> x = stored<T>(problem.x);
  for (const HaloVector& vector : vectors) fill_owned(vector, x.data());
  std::vector<T> y;
  for (int k = 0; k < 3; ++k) {  // the vectors are used again, as the benchmark does
    y = stored<T>(problem.y0);
    if (problem.beta == 0) y.assign(y.size(), std::numeric_limits<T>::quiet_NaN());
    DistributedSpmv(kernels, *halo)
        .apply(problem.alpha, vectors[k % 2], problem.beta, y.data(), {});
  }
  const CheckedProduct checked{problem.matrix, problem.precision, problem.alpha, problem.beta,
                               problem.x,      problem.y0,        y.data()};
  ratio = compare(problem.comm, checked, reference_product(checked));
  const std::uint64_t hash = hash_vector(problem.comm, problem.matrix, problem.precision, y.data());
  halo->close();
  return hash;
}

void check_all(const Problem& problem) {
  REQUIRE_ALL_RANKS(fingerprint(problem.comm, problem.matrix) == problem.source_fingerprint);
  for (const FormatEntry& format : formats()) {
    if (format.device != Device::cpu) continue;
    for (const TransportEntry& transport : transports()) {
      for (const Schedule schedule : {Schedule::overlap, Schedule::blocking}) {
        INFO(format.name << ", " << transport.name << ", overlap "
                         << (schedule == Schedule::overlap));
        ErrorRatio ratio;
        const std::optional<std::uint64_t> hash =
            problem.precision == Precision::fp64
                ? product_hash<double>(problem, format.name, transport, schedule, ratio)
                : product_hash<float>(problem, format.name, transport, schedule, ratio);
        const bool may_refuse = std::string(format.name) != "csr";
        REQUIRE_ALL_RANKS(hash.has_value() || may_refuse);
        if (!hash) continue;
        REQUIRE_ALL_RANKS(ratio.passed());
        REQUIRE_ALL_RANKS(ratio.rows == problem.matrix.info.rows);
        REQUIRE_ALL_RANKS(!format.canonical || *hash == problem.expected_hash);
      }
    }
  }
}

}  // namespace

TEST_CASE("every way of computing y gives the bits of the definition") {
  for (const std::string& text : matrices) {
    for (const PartitionerEntry& partition : partitioners()) {
      for (const std::optional<std::uint64_t> seed :
           {std::optional<std::uint64_t>{}, std::optional<std::uint64_t>{5}}) {
        INFO(text << ", " << partition.name << ", shuffled " << seed.has_value());
        check_all(Problem(text, partition.name, seed, Precision::fp64, 1, 0));
        check_all(Problem(text, partition.name, seed, Precision::fp32, -0.5, 0.75));
      }
    }
  }
}

TEST_CASE("a different format for the boundary rows changes no bit") {
  const Problem problem("stencil27:5", "rows", 9, Precision::fp64, 2, 0);
  const PrecisionBlock block(problem.matrix, problem.precision);
  const LocalKernels kernels =
      make_kernels(block.view(), problem.matrix, Schedule::overlap, Spec::parse("sell:c=4", "f"),
                   Spec::parse("csr", "b"), Device::cpu);
  const std::unique_ptr<HaloExchange> halo =
      find_transport("mpi").make({problem.plan, sizeof(double), 1, problem.comm});
  const HaloVector x = halo->make_vector();
  fill_owned(x, problem.x.data());
  std::vector<double> y(problem.matrix.owned_rows);
  DistributedSpmv(kernels, *halo).apply(problem.alpha, x, problem.beta, y.data(), {});
  REQUIRE_ALL_RANKS(hash_vector(problem.comm, problem.matrix, problem.precision, y.data()) ==
                    problem.expected_hash);
  halo->close();
}
