// SPDX-License-Identifier: BSD-3-Clause
//
// y of the commands that multiply, compared with PETSc's and our own reference.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "miniapp/check/validation.hpp"
#include "miniapp/commands/experiment.hpp"

namespace rowhalo {

/// alpha*A*x + beta*y0 of each vector, per owned row.
struct Reference {
  const char* name;
  std::vector<std::vector<double>> products;
};

struct References {
  ValidationReport report;                   ///< of a validation that has not looked at any y yet
  std::optional<std::string> petsc_refusal;  ///< PETSc was asked for and could not be used
  std::vector<Reference> products;
};

/// Collective. As far as --validate asks for them.
References compute_references(const Experiment& experiment);

struct Verdict {
  ValidationReport validation;
  std::string fault;  ///< what is wrong; empty when y passed
};

/// Collective. Compares y, several vectors one after the other with a hash each, with the
/// references. `bits`: of the formats.
Verdict check(const Experiment& experiment, const References& references,
              const std::vector<std::byte>& y, const std::vector<std::uint64_t>& y_hashes,
              RowBits bits);

/// Collective. What is wrong with y after `products` products in a row; empty when it is right or
/// not validated.
std::string repeated_fault(const Experiment& experiment, const std::vector<std::byte>& y,
                           int products);

/// RowBits::canonical where all rows have the bits of csr.
inline RowBits bits_of(const LocalKernels& kernels) {
  return kernels.canonical ? RowBits::canonical : RowBits::any;
}

}  // namespace rowhalo
