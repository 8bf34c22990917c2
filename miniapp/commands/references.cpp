// SPDX-License-Identifier: BSD-3-Clause
//
// References, and y compared with them (references.hpp).
#include "miniapp/commands/references.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <new>

#include "miniapp/bench/petsc/library.hpp"

namespace rowhalo {

namespace {

/// What to say of PETSc's time beside ours; empty where both use one thread per rank.
std::string uneven_comparison(const Comm& comm, Device device) {
  const std::int64_t threads = max_over_ranks(comm, std::int64_t{omp_get_max_threads()});
  if (device == Device::gpu) return "PETSc: 1 CPU thread per rank, ours on a GPU";
  if (threads == 1) return {};
  return fmt::format("PETSc: 1 thread per rank, ours {}", threads);
}

/// PETSc's products run for a twentieth of our time, in a quarter as many batches at least, which
/// need not have many products each, after two that warm up: enough for a median, and a run is not
/// twice as long (beside a GPU PETSc's on one core takes 500 times as long as ours).
BatchOptions petsc_batches(BatchOptions ours) {
  ours.min_seconds *= 0.05;
  ours.batches = (ours.batches + 3) / 4;
  ours.warmup = std::min(ours.warmup, 2);
  ours.fewest = 2;
  return ours;
}

/// Local. Empty where the memory of this rank does not hold it: rows are then made one by one.
std::vector<double> reference_if_it_fits(const CheckedProduct& product) {
  try {
    return reference_product(product);
  } catch (const std::bad_alloc&) {
    return {};
  }
}

/// Vector k. `y`: of all vectors, or null where there is none yet.
CheckedProduct checked(const Experiment& e, int k, const std::byte* y,
                       RowBits bits = RowBits::any) {
  const std::size_t bytes = e.stored_y0.size() / e.options.vectors;
  return {e.matrix,
          e.options.precision,
          e.options.alpha,
          e.options.beta,
          e.x[k],
          e.y0[k],
          y != nullptr ? y + k * bytes : nullptr,
          bits};
}

/// Where it is, for messages.
std::string place_of(const Experiment& e, const ErrorRatio& ratio, int k) {
  const std::string of_vector = e.options.vectors > 1 ? fmt::format(" of vector {}", k + 1) : "";
  return fmt::format("worst in row {}{}", ratio.worst_row, of_vector);
}

}  // namespace

References compute_references(const Experiment& e) {
  References references;
  ValidationReport& report = references.report;
  report.against = e.options.validate;
  bool own = report.against == Against::reference || report.against == Against::all;
  if (report.against == Against::petsc || report.against == Against::all) {
    e.job.progress.phase("validate with PETSc");
    const auto operation =
        e.options.transpose ? PetscOperation::mult_transpose : PetscOperation::mult;
    PetscResult petsc = petsc_product(e.job.comm, e.matrix, operation, e.options.precision, e.x,
                                      petsc_batches(e.options), e.job.progress);
    if (petsc.unusable.empty()) {
      report.petsc_seconds = petsc.seconds;
      report.note = uneven_comparison(e.job.comm, e.site.device);
      Reference& products = references.products.emplace_back(Reference{"petsc", {}});
      for (int k = 0; k < e.options.vectors; ++k) {
        products.products.push_back(
            scaled_sum(checked(e, k, nullptr), std::move(petsc.products[k])));
      }
    } else {
      references.petsc_refusal = petsc.unusable;
      report.note = "PETSc not used: " + petsc.unusable;
      report.against = Against::reference;
      own = true;
    }
  }
  if (own) {
    e.job.progress.phase("validate");
    Reference& products = references.products.emplace_back(Reference{"reference", {}});
    for (int k = 0; k < e.options.vectors; ++k) {
      products.products.push_back(reference_if_it_fits(checked(e, k, nullptr)));
    }
  }
  return references;
}

Verdict check(const Experiment& e, const References& references, const std::vector<std::byte>& y,
              const std::vector<std::uint64_t>& y_hashes, RowBits bits) {
  Verdict verdict{references.report, ""};
  ValidationReport& validation = verdict.validation;
  validation.y_hash = y_hashes.front();
  validation.y_hashes = y_hashes;
  validation.passed = true;
  for (const Reference& reference : references.products) {
    for (int k = 0; k < e.options.vectors; ++k) {
      const ErrorRatio ratio =
          compare(e.job.comm, checked(e, k, y.data(), bits), reference.products[k]);
      validation.rows_unchecked = std::max(validation.rows_unchecked, ratio.unchecked);
      validation.rows_checked = ratio.rows + ratio.unchecked - validation.rows_unchecked;
      if (ratio.max >= validation.max_error_ratio) {
        validation.max_error_ratio = ratio.max;
        validation.worst_row = ratio.worst_row;
      }
      if (ratio.passed()) continue;
      validation.passed = false;
      verdict.fault = fmt::format("y differs from {} by {:.3g} times the bound, {}", reference.name,
                                  ratio.max, place_of(e, ratio, k));
    }
  }
  return verdict;
}

std::string repeated_fault(const Experiment& e, const std::vector<std::byte>& y, int products) {
  if (e.options.validate == Against::none) return {};
  for (int k = 0; k < e.options.vectors; ++k) {
    const ErrorRatio ratio = compare_repeated(e.job.comm, checked(e, k, y.data()), products);
    if (ratio.passed()) continue;
    return fmt::format(
        "y after {} products as they were timed differs from the reference by {:.3g} times the "
        "bound, {}",
        products, ratio.max, place_of(e, ratio, k));
  }
  return {};
}

}  // namespace rowhalo
