// SPDX-License-Identifier: BSD-3-Clause
//
// Vector steps against loops that say the same plainly, and their sums both ways.
#include "kernels/vectors/run_step.hpp"
#include "kernels/vectors/scalar_steps.hpp"

#include <cmath>
#include <limits>
#include <vector>
#include "tests/catch.hpp"

namespace rowhalo {
namespace {

std::vector<double> ramp(std::size_t size, double first, double step) {
  std::vector<double> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = std::sin(first + step * double(i));
  return values;
}

struct Sums {
  double values[most_sums] = {};
  ExactSum exact[most_sums];

  SumsView view(Summation summation) {
    return {values, summation == Summation::reproducible ? exact : nullptr};
  }
};

VectorSpace space_of(std::size_t rows, Summation summation) {
  return {Device::cpu, {}, static_cast<std::int64_t>(rows), summation};
}

/// Both ways of summing, for sizes around those of threads and vector registers.
template <class Check>
void for_sizes(const Check& check) {
  for (const std::size_t rows : {0, 1, 2, 7, 8, 9, 64, 1003}) {
    for (const Summation summation : {Summation::fast, Summation::reproducible}) {
      CAPTURE(rows, static_cast<int>(summation));
      check(rows, summation);
    }
  }
}

void check_close(double value, double expected, double size) {
  CHECK(std::fabs(value - expected) <= 1e-13 * (size + 1));
}

TEST_CASE("Dot") {
  for_sizes([](std::size_t rows, Summation summation) {
    const std::vector<double> a = ramp(rows, 1, 0.3), b = ramp(rows, 2, 0.7);
    Sums sums;
    const VectorSpace space = space_of(rows, summation);
    run_step(space, Dot{a.data(), b.data()}, sums.view(summation));
    if (summation == Summation::reproducible) round_sums_on_cpu(sums.view(summation), Dot::sums);
    long double expected[3] = {};
    for (std::size_t i = 0; i < rows; ++i) {
      expected[0] += a[i] * b[i];
      expected[1] += b[i] * b[i];
      expected[2] += a[i] * a[i];
    }
    for (int k = 0; k < 3; ++k) {
      check_close(sums.values[k], static_cast<double>(expected[k]), double(rows));
    }
  });
}

TEST_CASE("CgResidual and CgDirection") {
  for_sizes([](std::size_t rows, Summation summation) {
    const std::vector<double> q = ramp(rows, 1, 0.3), z0 = ramp(rows, 2, 0.7);
    const std::vector<double> p0 = ramp(rows, 0, 0.9), x0 = ramp(rows, 5, 0.2);
    std::vector<double> z = z0, p = p0, x = x0, diagonal = ramp(rows, 3, 0.11);
    for (double& d : diagonal) d += 2;
    const double alpha = 0.375, beta = -1.25;
    Sums sums;
    const VectorSpace space = space_of(rows, summation);
    run_step(space, CgResidual{{&alpha}, {diagonal.data()}, q.data(), z.data()},
             sums.view(summation));
    run_step(space, CgDirection{{&alpha}, {&beta}, z.data(), x.data(), p.data()});
    if (summation == Summation::reproducible) round_sums_on_cpu(sums.view(summation), 3);
    long double expected[3] = {};
    for (std::size_t i = 0; i < rows; ++i) {
      const double next = std::fma(-alpha, diagonal[i] * q[i], z0[i]), r = next / diagonal[i];
      CHECK(z[i] == next);
      CHECK(x[i] == std::fma(alpha, p0[i], x0[i]));
      CHECK(p[i] == std::fma(beta, p0[i], next));
      expected[0] += r * next;
      expected[1] += r * r;
      expected[2] += next * next;
    }
    for (int k = 0; k < 3; ++k) {
      check_close(sums.values[k], static_cast<double>(expected[k]), double(rows));
    }
  });
}

TEST_CASE("BicgstabDirection, with and without a restart") {
  for_sizes([](std::size_t rows, Summation summation) {
    const std::vector<double> r = ramp(rows, 1, 0.3), v = ramp(rows, 2, 0.7);
    const std::vector<double> p0 = ramp(rows, 0, 0.9), diagonal = ramp(rows, 3, 0.11);
    const double beta = -1.25, omega = 0.375;
    for (const double restart : {0.0, 1.0}) {
      std::vector<double> shadow = ramp(rows, 5, 0.2), p = p0, direction(rows, 9);
      const std::vector<double> shadow0 = shadow;
      run_step(space_of(rows, summation), BicgstabDirection{{&beta},
                                                            {&omega},
                                                            {&restart},
                                                            {diagonal.data()},
                                                            r.data(),
                                                            v.data(),
                                                            shadow.data(),
                                                            p.data(),
                                                            direction.data()});
      for (std::size_t i = 0; i < rows; ++i) {
        const double next = std::fma(beta, std::fma(-omega, v[i], p0[i]), r[i]);
        CHECK(p[i] == next);
        CHECK(direction[i] == diagonal[i] * next);
        CHECK(shadow[i] == (restart != 0 ? r[i] : shadow0[i]));
      }
    }
  });
}

TEST_CASE("ApplyBlocks is a product with each block") {
  constexpr int size = 3;
  for (const std::size_t rows : {3u, 6u, 300u}) {
    const std::vector<double> blocks = ramp(rows * size, 1, 0.37), r = ramp(rows, 2, 0.7);
    std::vector<double> z(rows, 9);
    Sums sums;
    run_step(space_of(rows, Summation::fast), ApplyBlocks{blocks.data(), size, r.data(), z.data()},
             sums.view(Summation::fast));
    long double dot = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < size; ++j) {
        sum = std::fma(blocks[i * size + j], r[i / size * size + j], sum);
      }
      CHECK(z[i] == sum);
      dot += r[i] * sum;
    }
    check_close(sums.values[0], static_cast<double>(dot), double(rows));
  }
}

TEST_CASE("scalars of a residual that has vanished change nothing any more") {
  for (const double first : {1e-40, 1.0, 1e40}) {  // r.r and rho before the first iteration
    const double tiny = first * 1e-295, sums[] = {tiny, tiny, tiny, tiny, tiny};
    double cg[scalar_count] = {}, one_reduction[scalar_count] = {}, bicgstab[scalar_count] = {};
    for (double* scalars : {cg, one_reduction, bicgstab}) {
      note_first_products(first, first, scalars);
      scalars[at_rho] = scalars[at_norm2] = tiny;
      scalars[at_norms] = 9;
    }
    one_reduction[at_alpha] = 1;
    CgAlpha{}(sums, cg);
    CgOneReductionScalars{1, 2}(sums, one_reduction);
    BicgstabAlpha{}(sums, bicgstab);
    BicgstabOmega{}(sums, bicgstab);
    CHECK(cg[at_alpha] == 0);
    CHECK(one_reduction[at_alpha] == 0);
    CHECK(bicgstab[at_alpha] == 0);
    CHECK(bicgstab[at_omega] == 0);
    for (const double* scalars : {cg, one_reduction, bicgstab}) CHECK(scalars[at_trouble] == 0);
  }
}

TEST_CASE("cg tells a flat direction from one of negative curvature") {
  const auto trouble_of = [](double curvature) {
    double scalars[scalar_count] = {};
    note_first_products(1, 1, scalars);
    scalars[at_rho] = 1;
    const double first[] = {3.0};
    CgAlpha{}(first, scalars);  // the largest p.A p over p.M p so far is 3
    CHECK(scalars[at_alpha] == 1 / 3.0);
    CgAlpha{}(&curvature, scalars);
    CHECK((scalars[at_trouble] == 0) == (scalars[at_alpha] != 0));
    return static_cast<SolverEnd>(static_cast<int>(scalars[at_trouble]));
  };
  CHECK(trouble_of(1e-10) == SolverEnd::none);
  CHECK(trouble_of(1e-16) == SolverEnd::incompatible);
  CHECK(trouble_of(0) == SolverEnd::incompatible);
  CHECK(trouble_of(-1e-16) == SolverEnd::incompatible);
  CHECK(trouble_of(-1e-10) == SolverEnd::indefinite_matrix);
  CHECK(trouble_of(std::numeric_limits<double>::infinity()) == SolverEnd::overflow);
}

TEST_CASE("reproducible sums do not depend on how rows are divided") {
  const std::size_t rows = 1000;
  const std::vector<double> a = ramp(rows, 1, 17.3), b = ramp(rows, 2, 3.7);
  Sums whole, first, second;
  const Summation summation = Summation::reproducible;
  run_step(space_of(rows, summation), Dot{a.data(), b.data()}, whole.view(summation));
  const std::size_t cut = 313;
  run_step(space_of(cut, summation), Dot{a.data(), b.data()}, first.view(summation));
  run_step(space_of(rows - cut, summation), Dot{a.data() + cut, b.data() + cut},
           second.view(summation));
  for (int k = 0; k < Dot::sums; ++k) {
    first.exact[k].add(second.exact[k]);
    CHECK(first.exact[k].rounded() == whole.exact[k].rounded());
  }
}

}  // namespace
}  // namespace rowhalo
