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
  std::vector<double> q, r, p, x, diagonal;
  double alpha = 0.375, beta = -1.25;
};

Vectors make_vectors(std::int64_t rows) {
  return {rough(rows, 1), rough(rows, 2), rough(rows, 3), rough(rows, 4), rough(rows, 5)};
}

/// What two steps of CG leave: vectors, and the sums of the first.
struct Outcome {
  std::vector<double> r, p, x, sums;
};

Outcome on_cpu(Vectors v, Summation summation) {
  const VectorSpace space{Device::cpu, {}, std::ssize(v.r), summation};
  std::vector<double> values(CgResidual::sums);
  std::vector<ExactSum> exact(CgResidual::sums);
  const SumsView sums{values.data(), summation == Summation::fast ? nullptr : exact.data()};
  const Inverse inverse{v.diagonal.data(), nullptr};
  run_step(space, CgResidual{{&v.alpha}, inverse, v.q.data(), v.r.data()}, sums);
  run_step(space, CgDirection{{&v.alpha}, {&v.beta}, inverse, v.r.data(), v.x.data(), v.p.data()});
  if (summation == Summation::reproducible) round_sums(space, sums, CgResidual::sums);
  return {v.r, v.p, v.x, values};
}

Outcome on_gpu(const Vectors& v, Summation summation) {
  const auto upload = [](const std::vector<double>& values) {
    return DeviceArray<double>(std::span<const double>(values));
  };
  const DeviceArray<double> q = upload(v.q), r = upload(v.r), p = upload(v.p), x = upload(v.x);
  const DeviceArray<double> diagonal = upload(v.diagonal), scalars = upload({v.alpha, v.beta});
  const DeviceArray<double> values(CgResidual::sums);
  const DeviceArray<ExactSum> exact(CgResidual::sums);
  const DeviceMemory scratch(step_scratch_bytes);
  set_bytes_async(scratch.data(), 0, scratch.bytes(), Stream{});
  const VectorSpace space{Device::gpu, {}, std::ssize(v.r), summation, scratch.data()};
  const SumsView sums{values.data(), summation == Summation::fast ? nullptr : exact.data()};
  const Scalar alpha{scalars.data()}, beta{scalars.data() + 1};
  const Inverse inverse{diagonal.data(), nullptr};
  run_step(space, CgResidual{alpha, inverse, q.data(), r.data()}, sums);
  run_step(space, CgDirection{alpha, beta, inverse, r.data(), x.data(), p.data()});
  if (summation == Summation::reproducible) round_sums(space, sums, CgResidual::sums);
  synchronize_device();
  return {r.to_host(), p.to_host(), x.to_host(), values.to_host()};
}

TEST_CASE("vector steps on a GPU have the bits of the CPU's", "[short]") {
  for (const std::int64_t rows : {1, 31, 256, 257, 5000}) {
    for (const Summation summation : {Summation::fast, Summation::reproducible}) {
      CAPTURE(rows, static_cast<int>(summation));
      const Vectors vectors = make_vectors(rows);
      const Outcome expected = on_cpu(vectors, summation), found = on_gpu(vectors, summation);
      CHECK(found.r == expected.r);
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

TEST_CASE("sums on a GPU are the same on every run") {
  const Vectors vectors = make_vectors(1 << 20);
  const Outcome first = on_gpu(vectors, Summation::fast);
  for (int run = 0; run < 5; ++run) CHECK(on_gpu(vectors, Summation::fast).sums == first.sums);
}

}  // namespace
}  // namespace rowhalo
