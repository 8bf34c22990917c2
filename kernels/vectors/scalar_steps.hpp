// SPDX-License-Identifier: BSD-3-Clause
//
// The scalars of a solver from sums over all ranks. They stay in the memory of the device, in the
// places that SolverScalars names (verdict.hpp). A scalar step is a struct with
//   static constexpr bool ends_iteration    whether it leaves the watched norm, to be judged
//   void operator()(sum, scalars)           sums over all ranks; the scalars
// and a name in ScalarStep.
#pragma once

#include <cstring>
#include <type_traits>

#include "kernels/vectors/verdict.hpp"

namespace rowhalo {

/// Inner products of residuals this small, over the first ones, have vanished: what underflows
/// beside them says nothing about the matrix. Iterations then change nothing any more: quotients of
/// such numbers would let the residual grow again, to infinity in the end.
inline constexpr double vanished = 1e-290;
inline constexpr double most_finite = 0x1.fffffffffffffp+1023;

/// Before the first iteration, from r.r and, where a method has one, rho.
ROWHALO_STEP inline void note_first_products(double r2, double rho, double* scalars) {
  if (scalars[at_norms] != 0) return;
  scalars[at_vanished] = vanished * r2;
  scalars[at_vanished_rho] = vanished * rho;
}

ROWHALO_STEP inline void note_trouble(SolverEnd trouble, double* scalars) {
  scalars[at_trouble] = static_cast<double>(trouble);
}

/// Curvature this small, over the largest, is rounding errors: A p is 0.
inline constexpr double flat = 16 * 0x1p-52;

/// CG, of a new direction p = z + beta p: whether p.A p (`curvature`) allows a step, so that
/// alpha = rho / p.A p. p.M p follows from r.p = 0 of the direction before: rho + beta^2 p.M p.
ROWHALO_STEP inline double step_length(double rho, double beta, double curvature, double* scalars) {
  const double direction = fma(beta * beta, scalars[at_direction], rho);
  const double quotient = curvature / direction, largest = scalars[at_curvature];
  scalars[at_direction] = direction;
  if (rho <= scalars[at_vanished_rho]) return 0;
  if (fabs(curvature) > most_finite) note_trouble(SolverEnd::overflow, scalars);
  if (quotient < -flat * largest) {
    note_trouble(SolverEnd::indefinite_matrix, scalars);
    return 0;
  }
  if (quotient <= flat * largest) {
    note_trouble(SolverEnd::incompatible, scalars);
    return 0;
  }
  scalars[at_curvature] = fmax(largest, quotient);
  return rho / curvature;
}

/// CG: alpha = rho / p.q from sums[0].
struct CgAlpha {
  static constexpr bool ends_iteration = false;

  ROWHALO_STEP void operator()(const double* sum, double* scalars) const {
    scalars[at_alpha] = step_length(scalars[at_rho], scalars[at_beta], sum[0], scalars);
  }
};

/// CG: beta = r.z / rho, rho = r.z from sums (r.z, r.r, z.z), of which `norm` is watched.
struct CgBeta {
  static constexpr bool ends_iteration = true;
  int norm;

  ROWHALO_STEP void operator()(const double* sum, double* scalars) const {
    scalars[at_norm2] = sum[norm];
    note_first_products(sum[1], sum[0], scalars);
    if (sum[0] <= 0 && sum[1] > scalars[at_vanished]) {
      note_trouble(SolverEnd::indefinite_preconditioner, scalars);
    }
    scalars[at_beta] = scalars[at_rho] == 0 ? 0 : sum[0] / scalars[at_rho];
    scalars[at_rho] = sum[0];
  }
};

/// CG with one reduction, also pipelined: alpha and beta from r.u (sum[0]), the watched norm and
/// w.u (sum[image]):
///   beta = r.u / rho;  alpha = r.u / (w.u - beta r.u / alpha);  in the first iteration without
///   beta
struct CgOneReductionScalars {
  static constexpr bool ends_iteration = true;
  int norm, image;

  ROWHALO_STEP void operator()(const double* sum, double* scalars) const {
    scalars[at_norm2] = sum[norm];
    const double rho = sum[0];
    note_first_products(sum[1], rho, scalars);
    const bool first = scalars[at_rho] == 0;
    const double beta = first ? 0 : rho / scalars[at_rho];
    const double curvature = first ? sum[image] : fma(-beta, rho / scalars[at_alpha], sum[image]);
    if (rho <= 0 && sum[1] > scalars[at_vanished]) {
      note_trouble(SolverEnd::indefinite_preconditioner, scalars);
      scalars[at_alpha] = 0;
    } else {
      scalars[at_alpha] = step_length(rho, beta, curvature, scalars);
    }
    scalars[at_beta] = beta;
    scalars[at_rho] = rho;
  }
};

/// BiCGStab: alpha = rho / r0.v from sums[0].
struct BicgstabAlpha {
  static constexpr bool ends_iteration = false;

  ROWHALO_STEP void operator()(const double* sum, double* scalars) const {
    const bool over = scalars[at_norm2] <= scalars[at_vanished];
    if (sum[0] == 0 && !over) note_trouble(SolverEnd::breakdown, scalars);
    if (fabs(sum[0]) > most_finite) note_trouble(SolverEnd::overflow, scalars);
    scalars[at_alpha] = sum[0] == 0 || over ? 0 : scalars[at_rho] / sum[0];
  }
};

/// BiCGStab: omega = t.s / t.t from sums (s.t, t.t); 0 where s is 0 or r has vanished.
struct BicgstabOmega {
  static constexpr bool ends_iteration = false;

  ROWHALO_STEP void operator()(const double* sum, double* scalars) const {
    const bool over = scalars[at_norm2] <= scalars[at_vanished];
    if (sum[1] > most_finite) note_trouble(SolverEnd::overflow, scalars);
    scalars[at_omega] = sum[1] == 0 || over ? 0 : sum[0] / sum[1];
  }
};

/// Below this share of |r0||r|, r0.r is rounding errors: BiCGStab begins again with r0 = r.
inline constexpr double orthogonal = 1e-16;

/// BiCGStab: beta = r0.r / rho * alpha / omega from sums (r0.r, r.r); 0 at first, and where r has
/// become orthogonal to r0, which p = r then replaces (BicgstabDirection).
struct BicgstabBeta {
  static constexpr bool ends_iteration = true;
  bool first;

  ROWHALO_STEP void operator()(const double* sum, double* scalars) const {
    scalars[at_norm2] = sum[1];
    note_first_products(sum[1], sum[0], scalars);
    const bool again =
        first || fabs(sum[0]) <= orthogonal * sqrt(scalars[at_shadow2]) * sqrt(sum[1]);
    if (!first && scalars[at_omega] == 0 && sum[1] > scalars[at_vanished]) {
      note_trouble(SolverEnd::breakdown, scalars);
    }
    const bool none = again || scalars[at_omega] == 0 || scalars[at_rho] == 0;
    const double growth = none ? 0 : scalars[at_alpha] / scalars[at_omega];
    scalars[at_beta] = none ? 0 : sum[0] / scalars[at_rho] * growth;
    scalars[at_rho] = again ? sum[1] : sum[0];
    scalars[at_restart] = again ? 1 : 0;
    if (again) scalars[at_shadow2] = sum[1];
  }
};

/// Power iteration, |x| = 1 up to rounding: lambda = x.y / x.x in at_alpha, 1 / |y| in at_beta,
/// from sums (x.y, y.y, x.x).
struct PowerScalars {
  static constexpr bool ends_iteration = false;

  ROWHALO_STEP void operator()(const double* sum, double* scalars) const {
    if (sum[1] == 0) note_trouble(SolverEnd::breakdown, scalars);
    scalars[at_alpha] = sum[0] / sum[2];
    scalars[at_beta] = sum[1] == 0 ? 0 : 1 / sqrt(sum[1]);
  }
};

/// Power iteration: the watched norm is |y - lambda x|, small beside |lambda|.
struct PowerNorm {
  static constexpr bool ends_iteration = true;

  ROWHALO_STEP void operator()(const double* sum, double* scalars) const {
    scalars[at_norm2] = sum[0];
    scalars[at_whole] = fabs(scalars[at_alpha]);
  }
};

/// PageRank: what every entry gets in the next iteration, in at_alpha, from sums (|change|, x of
/// dangling columns, x); the watched norm is |change| in the 1-norm, squared as all are.
struct PagerankTeleport {
  static constexpr bool ends_iteration = true;
  double damping, size;

  ROWHALO_STEP void operator()(const double* sum, double* scalars) const {
    scalars[at_norm2] = sum[0] * sum[0];
    scalars[at_alpha] = fma(damping, sum[1], 1 - damping) / size;
  }
};

/// Any of `Steps`, as kernels take it.
template <class... Steps>
class AnyScalarStep {
 public:
  AnyScalarStep() : kind_(sizeof...(Steps)) {}
  template <class Step>
  requires(std::is_same_v<Step, Steps> || ...) AnyScalarStep(const Step& step) {
    bool before = true;
    ((before = before && !std::is_same_v<Step, Steps>, kind_ += before ? 1 : 0), ...);
    std::memcpy(room_, &step, sizeof(step));
  }

  /// Runs it; whether it ends an iteration.
  ROWHALO_STEP bool run(const double* sum, double* scalars) const {
    int kind = 0;
    return ((kind++ == kind_ && run_as<Steps>(sum, scalars)) || ...);
  }

 private:
  template <class Step>
  ROWHALO_STEP bool run_as(const double* sum, double* scalars) const {
    Step step;
    std::memcpy(&step, room_, sizeof(step));
    step(sum, scalars);
    return Step::ends_iteration;
  }

  int kind_ = 0;  ///< its place among them; none: behind the last
  alignas(8) unsigned char room_[16] = {};
};

using ScalarStep =
    AnyScalarStep<CgAlpha, CgBeta, CgOneReductionScalars, BicgstabAlpha, BicgstabOmega,
                  BicgstabBeta, PowerScalars, PowerNorm, PagerankTeleport>;

}  // namespace rowhalo
