// SPDX-License-Identifier: BSD-3-Clause
//
// What SpmvKernel::apply() is called with, in the types of a precision. The arguments of a format's
// kernel hold it, mostly first: {{alpha, x, beta, y}, ...}.
#pragma once

namespace rowhalo {

/// y = alpha A x + beta y, with sums of type Sum and x and y of type Vector.
template <class Sum, class Vector = Sum>
struct ProductArguments {
  Sum alpha;
  const Vector* x;
  Sum beta;
  Vector* y;

  ProductArguments(double factor, const void* from, double kept, void* to)
      : alpha(static_cast<Sum>(factor)),
        x(static_cast<const Vector*>(from)),
        beta(static_cast<Sum>(kept)),
        y(static_cast<Vector*>(to)) {}
};

}  // namespace rowhalo
