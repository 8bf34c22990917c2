// SPDX-License-Identifier: BSD-3-Clause
//
// A LocalProduct in the types of a precision. The arguments of a format's kernel hold it, mostly
// first: {product, ...}.
#pragma once

#include "kernels/local_product.hpp"

namespace rowhalo {

/// y = alpha A x + beta y, with sums of type Sum and x and y of type Vector.
template <class Sum, class Vector = Sum>
struct ProductArguments {
  Sum alpha;
  const Vector* x;
  Sum beta;
  Vector* y;

  /// Throws std::logic_error where x or y is of another type.
  ProductArguments(const LocalProduct& product)
      : alpha(static_cast<Sum>(product.alpha)),
        x(product.x.as<Vector>()),
        beta(static_cast<Sum>(product.beta)),
        y(product.y.as<Vector>()) {}
};

}  // namespace rowhalo
