// SPDX-License-Identifier: BSD-3-Clause
//
// The vector operations of solvers, fused into one pass each (step.hpp). Steps of CG load all of a
// row before they store any of it: since vectors might overlap for all that a compiler knows, loads
// would wait for stores.
#pragma once

#include "kernels/vectors/step.hpp"

namespace rowhalo {

/// z = D r with the dense inverse blocks D of `size` rows. sums: r.z, r.r, z.z
struct ApplyBlocks {
  static constexpr int sums = 3;
  const double* blocks;  ///< [row][column of the block]
  int size;
  const double* r;
  double* z;

  ROWHALO_STEP Terms<sums> operator()(std::int64_t i) const {
    const std::int64_t first = i - i % size;
    double sum = 0;
    for (int j = 0; j < size; ++j) sum = fma(blocks[i * size + j], r[first + j], sum);
    z[i] = sum;
    return {{r[i] * sum, r[i] * r[i], sum * sum}};
  }
};

/// u = z, where u may be r. sums: r.z, r.r, z.z
struct ApplyInverse {
  static constexpr int sums = 3;
  Inverse inverse;
  const double* r;
  double* u;

  ROWHALO_STEP Terms<sums> operator()(std::int64_t i) const {
    const double r_i = r[i], z = inverse.at(i) * r_i;
    u[i] = z;
    return {{r_i * z, r_i * r_i, z * z}};
  }
};

/// sums: a.b, b.b, a.a
struct Dot {
  static constexpr int sums = 3;
  const double *a, *b;

  ROWHALO_STEP Terms<sums> operator()(std::int64_t i) const {
    return {{a[i] * b[i], b[i] * b[i], a[i] * a[i]}};
  }
};

/// What products have left of a dot product (LocalProduct::dot_parts), a row per part. sums:
/// their sum
struct AddParts {
  static constexpr int sums = 1;
  const double* parts;

  ROWHALO_STEP Terms<sums> operator()(std::int64_t i) const { return {{parts[i]}}; }
};

/// r = b - q. sums: r.r, b.b
struct Residual {
  static constexpr int sums = 2;
  const double *b, *q;
  double* r;

  ROWHALO_STEP Terms<sums> operator()(std::int64_t i) const {
    r[i] = b[i] - q[i];
    return {{r[i] * r[i], b[i] * b[i]}};
  }
};

/// z -= alpha M^-1 q; r = M z. sums: r.z, r.r, z.z
struct CgResidual {
  static constexpr int sums = 3;
  Scalar alpha;
  Inverse inverse;
  const double* q;
  double* z;

  ROWHALO_STEP void load() { alpha.load(); }
  ROWHALO_STEP Terms<sums> operator()(std::int64_t i) const {
    const double d = inverse.at(i), next = fma(-alpha.value, d * q[i], z[i]);
    z[i] = next;
    const double r = next / d;
    return {{r * next, r * r, next * next}};
  }
};

/// x += alpha p; p = z + beta p
struct CgDirection {
  static constexpr int sums = 0;
  Scalar alpha, beta;
  const double* z;
  double *x, *p;

  ROWHALO_STEP void load() {
    alpha.load();
    beta.load();
  }
  ROWHALO_STEP Terms<sums> operator()(std::int64_t i) const {
    const double p_i = p[i], x_i = x[i], z_i = z[i];
    x[i] = fma(alpha.value, p_i, x_i);
    p[i] = fma(beta.value, p_i, z_i);
    return {};
  }
};

/// One reduction per iteration (Chronopoulos, Gear: s-step iterative methods, JCAM 25, 1989):
/// p = u + beta p; s = w + beta s; x += alpha p; kept -= alpha M^-1 s; r = M kept. `kept` is u.
/// With blocks, which take a pass of their own, M is 1 here and `kept` is r. sums: r.u, r.r, u.u
struct CgOneReductionUpdate {
  static constexpr int sums = 3;
  Scalar alpha, beta;
  Inverse inverse;
  const double *w, *u;
  double *p, *s, *x, *kept;

  ROWHALO_STEP void load() {
    alpha.load();
    beta.load();
  }
  ROWHALO_STEP Terms<sums> operator()(std::int64_t i) const {
    const double direction = fma(beta.value, p[i], u[i]), image = fma(beta.value, s[i], w[i]);
    const double x_i = x[i], d = inverse.at(i), next = fma(-alpha.value, d * image, kept[i]);
    p[i] = direction;
    s[i] = image;
    x[i] = fma(alpha.value, direction, x_i);
    kept[i] = next;
    const double r = next / d;
    return {{r * next, r * r, next * next}};
  }
};

/// Pipelined (Ghysels, Vanroose: Hiding global synchronization latency in the preconditioned
/// conjugate gradient algorithm, Parallel Computing 40, 2014, algorithm 4): all recurrences at
/// once. m = M^-1 w is for the next product. sums: r.u, r.r, u.u, w.u
struct CgPipelinedUpdate {
  static constexpr int sums = 4;
  Scalar alpha, beta;
  Inverse inverse;
  const double* n;
  double *m, *z, *q, *s, *p, *x, *r, *u, *w;

  ROWHALO_STEP void load() {
    alpha.load();
    beta.load();
  }
  ROWHALO_STEP Terms<sums> operator()(std::int64_t i) const {
    const double a = alpha.value, b = beta.value;
    const double next_z = fma(b, z[i], n[i]), next_q = fma(b, q[i], m[i]);
    const double next_s = fma(b, s[i], w[i]), next_p = fma(b, p[i], u[i]);
    z[i] = next_z;
    q[i] = next_q;
    s[i] = next_s;
    p[i] = next_p;
    x[i] = fma(a, next_p, x[i]);
    const double next_r = fma(-a, next_s, r[i]), next_u = fma(-a, next_q, u[i]);
    const double next_w = fma(-a, next_z, w[i]);
    r[i] = next_r;
    u[i] = next_u;
    w[i] = next_w;
    m[i] = inverse.at(i) * next_w;
    return {{next_r * next_u, next_r * next_r, next_u * next_u, next_w * next_u}};
  }
};

/// BiCGStab, first half: x += alpha p^; r -= alpha v, which is then called s; s^ = M^-1 s, where p^
/// was.
struct BicgstabHalf {
  static constexpr int sums = 0;
  Scalar alpha;
  Inverse inverse;
  const double* v;
  double *x, *r, *direction;

  ROWHALO_STEP void load() { alpha.load(); }
  ROWHALO_STEP Terms<sums> operator()(std::int64_t i) const {
    x[i] = fma(alpha.value, direction[i], x[i]);
    const double next = fma(-alpha.value, v[i], r[i]);
    r[i] = next;
    direction[i] = inverse.at(i) * next;
    return {};
  }
};

/// Second half: x += omega s^; r = s - omega t. sums: r0.r, r.r
struct BicgstabResidual {
  static constexpr int sums = 2;
  Scalar omega;
  const double *t, *r0, *direction;
  double *x, *r;

  ROWHALO_STEP void load() { omega.load(); }
  ROWHALO_STEP Terms<sums> operator()(std::int64_t i) const {
    x[i] = fma(omega.value, direction[i], x[i]);
    const double next = fma(-omega.value, t[i], r[i]);
    r[i] = next;
    return {{r0[i] * next, next * next}};
  }
};

/// p = r + beta (p - omega v); p^ = M^-1 p; r0 = r where restart is not 0
struct BicgstabDirection {
  static constexpr int sums = 0;
  Scalar beta, omega, restart;
  Inverse inverse;
  const double *r, *v;
  double *r0, *p, *direction;

  ROWHALO_STEP void load() {
    beta.load();
    omega.load();
    restart.load();
  }
  ROWHALO_STEP Terms<sums> operator()(std::int64_t i) const {
    const double next = fma(beta.value, fma(-omega.value, v[i], p[i]), r[i]);
    p[i] = next;
    if (restart.value != 0) r0[i] = r[i];
    direction[i] = inverse.at(i) * next;
    return {};
  }
};

/// Power iteration: x = y / |y|, and how far y was from lambda x. sums: |y - lambda x|^2
struct PowerUpdate {
  static constexpr int sums = 1;
  Scalar lambda, scale;  ///< 1 / |y|
  const double* y;
  double* x;

  ROWHALO_STEP void load() {
    lambda.load();
    scale.load();
  }
  ROWHALO_STEP Terms<sums> operator()(std::int64_t i) const {
    const double rest = fma(-lambda.value, x[i], y[i]);
    x[i] = scale.value * y[i];
    return {{rest * rest}};
  }
};

/// PageRank before the first iteration. sums: x, as if all of it had just changed, x of dangling
/// columns, x
struct PagerankMass {
  static constexpr int sums = 3;
  const double *dangling, *x;

  ROWHALO_STEP Terms<sums> operator()(std::int64_t i) const {
    return {{x[i], dangling[i] * x[i], x[i]}};
  }
};

/// PageRank: x = damping y + teleport. sums: |change|, x of dangling columns, x
struct PagerankUpdate {
  static constexpr int sums = 3;
  Scalar teleport;  ///< (1 - damping + damping * x of dangling columns) / n
  double damping;
  const double *y, *dangling;  ///< dangling: 1 where a column is empty, else 0
  double* x;

  ROWHALO_STEP void load() { teleport.load(); }
  ROWHALO_STEP Terms<sums> operator()(std::int64_t i) const {
    const double next = fma(damping, y[i], teleport.value);
    const double change = fabs(next - x[i]);
    x[i] = next;
    return {{change, dangling[i] * next, next}};
  }
};

}  // namespace rowhalo
