// SPDX-License-Identifier: BSD-3-Clause
//
// Vector steps on a GPU give the bits of those on the CPU; so do reproducible sums.
#include <cmath>
#include <vector>

#include "kernels/gpu/device/runtime.hpp"
#include "kernels/vectors/run_step.hpp"
#include "tests/catch.hpp"

namespace rowhalo {
namespace {

/// Entries of many sizes, so that sums depend on their order.
std::vector<double> rough(std::int64_t size, double first) {
  std::vector<double> values(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double phase = first + 0.37 * static_cast<double>(i);
    values[i] = std::ldexp(std::sin(phase), static_cast<int>(i % 41) - 20);
  }
  return values;
}

struct Vectors {
  std::vector<double> q, z, p, x, diagonal;
  double alpha = 0.375, beta = -1.25;
};

Vectors make_vectors(std::int64_t rows) {
  return {rough(rows, 1), rough(rows, 2), rough(rows, 3), rough(rows, 4), rough(rows, 5)};
}

/// What two steps of CG leave: vectors, and the sums of the first.
struct Outcome {
  std::vector<double> z, p, x, sums;
};

Outcome on_cpu(Vectors v, Summation summation) {
  const VectorSpace space{Device::cpu, {}, std::ssize(v.z), summation};
  std::vector<double> values(CgResidual::sums);
  std::vector<ExactSum> exact(CgResidual::sums);
  const SumsView sums{values.data(), summation == Summation::fast ? nullptr : exact.data()};
  const Inverse inverse{v.diagonal.data()};
  run_step(space, CgResidual{{&v.alpha}, inverse, v.q.data(), v.z.data()}, sums);
  run_step(space, CgDirection{{&v.alpha}, {&v.beta}, v.z.data(), v.x.data(), v.p.data()});
  if (summation == Summation::reproducible) round_sums_on_cpu(sums, CgResidual::sums);
  return {v.z, v.p, v.x, values};
}

/// Who adds up the sums of thread blocks: the step that they are of, or a kernel behind it.
enum class Gather { in_step, behind };

/// On one rank, of which only the sums are wanted.
struct Reduction {
  Summation summation;
  DeviceArray<double> values, parts, stop;
  DeviceArray<ExactSum> exact;
  DeviceArray<unsigned> ended_blocks;
  OverRanks then;

  Reduction(int sums, Summation how)
      : summation(how),
        values(1 + sums),
        parts((1 + sums) * SumsView::most_parts),
        stop(std::span<const double>(std::vector<double>{0})),
        exact(1 + sums),
        ended_blocks(1) {
    set_bytes_async(ended_blocks.data(), 0, sizeof(unsigned), Stream{});
    then.sums = {values.data(), how == Summation::fast ? nullptr : exact.data(), parts.data()};
    then.count = 1 + sums;
    then.sends = true;
    then.stop = stop.data();
  }

  VectorSpace space(std::size_t rows) const {
    return {Device::gpu, {}, static_cast<std::int64_t>(rows), summation, ended_blocks.data()};
  }

  /// When the device is done.
  std::vector<double> sums() const {
    std::vector<double> sums(static_cast<std::size_t>(then.count));
    if (summation == Summation::reproducible) {
      std::vector<ExactSum> all = exact.to_host();
      round_sums_on_cpu({sums.data(), all.data()}, then.count);
    } else {
      sums = values.to_host();
    }
    sums.erase(sums.begin());  // who wants to stop
    return sums;
  }
};

Outcome on_gpu(const Vectors& v, Summation summation, Gather gather) {
  const auto upload = [](const std::vector<double>& values) {
    return DeviceArray<double>(std::span<const double>(values));
  };
  const DeviceArray<double> q = upload(v.q), z = upload(v.z), p = upload(v.p), x = upload(v.x);
  const DeviceArray<double> diagonal = upload(v.diagonal), scalars = upload({v.alpha, v.beta});
  const Reduction reduction(CgResidual::sums, summation);
  const VectorSpace space = reduction.space(v.z.size());
  const OverRanks& then = reduction.then;
  const Scalar alpha{scalars.data()}, beta{scalars.data() + 1};
  const Inverse inverse{diagonal.data()};
  run_step(space, CgResidual{alpha, inverse, q.data(), z.data()}, then.sums.from(1),
           gather == Gather::in_step ? then : OverRanks{});
  if (gather == Gather::behind) finish_sums(space, then);
  run_step(space, CgDirection{alpha, beta, z.data(), x.data(), p.data()});
  synchronize_device();
  return {z.to_host(), p.to_host(), x.to_host(), reduction.sums()};
}

TEST_CASE("vector steps on a GPU have the bits of the CPU's", "[short]") {
  const auto rows = GENERATE(std::int64_t{1}, 31, 256, 257, 5000, 600000);
  const Vectors vectors = make_vectors(rows);
  for (const Gather gather : {Gather::in_step, Gather::behind}) {
    for (const Summation summation : {Summation::fast, Summation::reproducible}) {
      CAPTURE(rows, static_cast<int>(gather), static_cast<int>(summation));
      const Outcome expected = on_cpu(vectors, summation);
      const Outcome found = on_gpu(vectors, summation, gather);
      CHECK(found.z == expected.z);
      CHECK(found.p == expected.p);
      CHECK(found.x == expected.x);
      if (summation == Summation::reproducible) CHECK(found.sums == expected.sums);
      // r.z is at most |r||z| by its terms; r.r and z.z have no sign.
      const double size = std::sqrt(expected.sums[1] * expected.sums[2]);
      CHECK(std::fabs(found.sums[0] - expected.sums[0]) <= 1e-12 * size);
      CHECK(std::fabs(found.sums[1] / expected.sums[1] - 1) <= 1e-12);
      CHECK(std::fabs(found.sums[2] / expected.sums[2] - 1) <= 1e-12);
    }
  }
}

/// With 11 vectors of `rows` entries, one after the other.
CgPipelinedUpdate pipelined_update(double* vectors, std::int64_t rows, const double* scalars) {
  const auto at = [&](int k) { return vectors + k * rows; };
  return {{scalars}, {scalars + 1}, {at(0)}, at(1), at(2), at(3), at(4),
          at(5),     at(6),         at(7),   at(8), at(9), at(10)};
}

TEST_CASE("a step of many vectors, of which a GPU holds fewer thread blocks, misses no part") {
  constexpr std::int64_t rows = 600000;
  std::vector<double> vectors = rough(11 * rows, 1);
  const std::vector<double> scalars = {0.375, -1.25};
  const DeviceArray<double> on_device{std::span<const double>(vectors)};
  const DeviceArray<double> scalars_there{std::span<const double>(scalars)};
  const Reduction reduction(CgPipelinedUpdate::sums, Summation::fast);
  set_bytes_async(reduction.parts.data(), 0xff, static_cast<std::size_t>(reduction.parts.bytes()),
                  Stream{});
  run_step(reduction.space(rows), pipelined_update(on_device.data(), rows, scalars_there.data()),
           reduction.then.sums.from(1), reduction.then);
  synchronize_device();
  std::vector<double> expected(CgPipelinedUpdate::sums);
  run_step(VectorSpace{Device::cpu, {}, rows},
           pipelined_update(vectors.data(), rows, scalars.data()), {expected.data()});
  CHECK(on_device.to_host() == vectors);
  for (int k = 0; k < CgPipelinedUpdate::sums; ++k) {
    const double size = std::sqrt(expected[1] * expected[2]) + std::fabs(expected[k]);
    CHECK(std::fabs(reduction.sums()[k] - expected[k]) <= 1e-12 * size);
  }
}

TEST_CASE("sums on a GPU are the same on every run") {
  const Vectors vectors = make_vectors(1 << 20);
  const Outcome first = on_gpu(vectors, Summation::fast, Gather::in_step);
  for (int run = 0; run < 5; ++run) {
    const Gather gather = run % 2 == 0 ? Gather::behind : Gather::in_step;
    CHECK(on_gpu(vectors, Summation::fast, gather).sums == first.sums);
  }
}

}  // namespace
}  // namespace rowhalo
