// SPDX-License-Identifier: BSD-3-Clause
//
// Steps of one row (step.hpp): the scalars of a solver from sums over all ranks. They stay in the
// memory of the device, in the places that SolverScalars names.
#pragma once

#include "kernels/vectors/step.hpp"

namespace rowhalo {

/// Places in the scalars of a method.
enum SolverScalars { at_norm2, at_status, at_alpha, at_beta, at_rho, at_omega, scalar_count };

/// What can go wrong in an iteration, as written to scalars[at_status]; 0: nothing.
enum class Trouble { none, indefinite_matrix, indefinite_preconditioner, breakdown };

/// Inner products of residuals below this have vanished: what underflows beside them says nothing
/// about the matrix. Iterations then change nothing any more.
inline constexpr double vanished = 1e-290;

/// CG: alpha = rho / p.q from sums[0].
struct CgAlpha {
  static constexpr int sums = 0;
  const double* sum;
  double* scalars;

  ROWHALO_STEP void load() {}
  ROWHALO_STEP Terms<sums> operator()(std::int64_t) const {
    if (sum[0] <= 0 && scalars[at_rho] > vanished) {
      scalars[at_status] = static_cast<double>(Trouble::indefinite_matrix);
    }
    scalars[at_alpha] = sum[0] <= 0 ? 0 : scalars[at_rho] / sum[0];
    return {};
  }
};

/// CG: beta = r.z / rho, rho = r.z from sums (r.z, r.r, z.z), of which `norm` is watched.
struct CgBeta {
  static constexpr int sums = 0;
  const double* sum;
  double* scalars;
  int norm;

  ROWHALO_STEP void load() {}
  ROWHALO_STEP Terms<sums> operator()(std::int64_t) const {
    scalars[at_norm2] = sum[norm];
    if (sum[0] <= 0 && sum[1] > vanished) {
      scalars[at_status] = static_cast<double>(Trouble::indefinite_preconditioner);
    }
    scalars[at_beta] = scalars[at_rho] == 0 ? 0 : sum[0] / scalars[at_rho];
    scalars[at_rho] = sum[0];
    return {};
  }
};

/// CG with one reduction, also pipelined: alpha and beta from r.u (sum[0]), the watched norm and
/// w.u (*image):
///   beta = r.u / rho;  alpha = r.u / (w.u - beta r.u / alpha);  in the first iteration without
///   beta
struct CgOneReductionScalars {
  static constexpr int sums = 0;
  const double *sum, *image;
  double* scalars;
  int norm;

  ROWHALO_STEP void load() {}
  ROWHALO_STEP Terms<sums> operator()(std::int64_t) const {
    scalars[at_norm2] = sum[norm];
    const double rho = sum[0];
    const bool first = scalars[at_rho] == 0;
    const double beta = first ? 0 : rho / scalars[at_rho];
    const double curvature = first ? *image : fma(-beta, rho / scalars[at_alpha], *image);
    if (rho <= 0 && sum[1] > vanished) {
      scalars[at_status] = static_cast<double>(Trouble::indefinite_preconditioner);
    } else if (curvature <= 0 && rho > vanished) {
      scalars[at_status] = static_cast<double>(Trouble::indefinite_matrix);
    }
    scalars[at_beta] = beta;
    scalars[at_alpha] = curvature > 0 ? rho / curvature : 0;
    scalars[at_rho] = rho;
    return {};
  }
};

/// BiCGStab: alpha = rho / r0.v from sums[0].
struct BicgstabAlpha {
  static constexpr int sums = 0;
  const double* sum;
  double* scalars;

  ROWHALO_STEP void load() {}
  ROWHALO_STEP Terms<sums> operator()(std::int64_t) const {
    if (sum[0] == 0 && scalars[at_norm2] > vanished) {
      scalars[at_status] = static_cast<double>(Trouble::breakdown);
    }
    scalars[at_alpha] = sum[0] == 0 ? 0 : scalars[at_rho] / sum[0];
    return {};
  }
};

/// BiCGStab: omega = t.s / t.t from sums (s.t, t.t); 0 where s is 0.
struct BicgstabOmega {
  static constexpr int sums = 0;
  const double* sum;
  double* scalars;

  ROWHALO_STEP void load() {}
  ROWHALO_STEP Terms<sums> operator()(std::int64_t) const {
    scalars[at_omega] = sum[1] == 0 ? 0 : sum[0] / sum[1];
    return {};
  }
};

/// BiCGStab: beta = r0.r / rho * alpha / omega from sums (r0.r, r.r); 0 at first.
struct BicgstabBeta {
  static constexpr int sums = 0;
  const double* sum;
  double* scalars;
  bool first;

  ROWHALO_STEP void load() {}
  ROWHALO_STEP Terms<sums> operator()(std::int64_t) const {
    scalars[at_norm2] = sum[1];
    const bool none = first || scalars[at_omega] == 0 || scalars[at_rho] == 0 || sum[0] == 0;
    if (none && !first && sum[1] > vanished) {
      scalars[at_status] = static_cast<double>(Trouble::breakdown);
    }
    const double growth = none ? 0 : scalars[at_alpha] / scalars[at_omega];
    scalars[at_beta] = none ? 0 : sum[0] / scalars[at_rho] * growth;
    scalars[at_rho] = sum[0];
    return {};
  }
};

/// Power iteration, |x| = 1 up to rounding: lambda = x.y / x.x in at_alpha, 1 / |y| in at_beta,
/// from sums (x.y, y.y, x.x).
struct PowerScalars {
  static constexpr int sums = 0;
  const double* sum;
  double* scalars;

  ROWHALO_STEP void load() {}
  ROWHALO_STEP Terms<sums> operator()(std::int64_t) const {
    if (sum[1] == 0) scalars[at_status] = static_cast<double>(Trouble::breakdown);
    scalars[at_alpha] = sum[0] / sum[2];
    scalars[at_beta] = sum[1] == 0 ? 0 : 1 / sqrt(sum[1]);
    return {};
  }
};

/// Power iteration: the watched norm is |y - lambda x|.
struct PowerNorm {
  static constexpr int sums = 0;
  const double* sum;
  double* scalars;

  ROWHALO_STEP void load() {}
  ROWHALO_STEP Terms<sums> operator()(std::int64_t) const {
    scalars[at_norm2] = sum[0];
    return {};
  }
};

/// PageRank: what every entry gets in the next iteration, in at_alpha, from sums (|change|, x of
/// dangling columns, x); the watched norm is |change| in the 1-norm, squared as all are.
struct PagerankTeleport {
  static constexpr int sums = 0;
  const double* sum;
  double* scalars;
  double damping, size;

  ROWHALO_STEP void load() {}
  ROWHALO_STEP Terms<sums> operator()(std::int64_t) const {
    scalars[at_norm2] = sum[0] * sum[0];
    scalars[at_alpha] = fma(damping, sum[1], 1 - damping) / size;
    return {};
  }
};

}  // namespace rowhalo
