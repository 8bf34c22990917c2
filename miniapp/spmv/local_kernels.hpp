// SPDX-License-Identifier: BSD-3-Clause
//
// The kernels of one rank: which rows each of them computes follows from the order of a product.
#pragma once

#include <memory>
#include <optional>

#include "kernels/formats.hpp"
#include "miniapp/halo/transports.hpp"
#include "miniapp/spmv/loaded_matrix.hpp"
#include "miniapp/spmv/side_stream.hpp"
#include "miniapp/spmv/steps.hpp"

namespace rowhalo {

class PartialSumKernels;

/// What operators on one matrix share: the rank's local matrix as kernels take it, the plan of its
/// exchange, and where ranks compute. Views; all that they refer to outlives the operators.
struct OperatorParts {
  const Comm& comm;
  const LocalMatrix& matrix;
  const LoadedMatrix& block;  ///< the matrix in the memory of the device
  const HaloPlan& plan;
  ComputeSite site;
  const LoadedColumns* columns = nullptr;   ///< the same cut by columns, for Order::split
  const PartialSumKernels* sums = nullptr;  ///< of a matrix with partial sums
  Connections* connections = nullptr;       ///< that transports share
  bool foreign_vectors = false;  ///< rows without ghosts read x where only owned entries are
  int vectors = 1;               ///< that a product takes at once

  NumberType type() const { return vector_type(block.view().precision); }  ///< of x and y
};

/// Interior and boundary rows for overlap; all rows in `interior`, and no `boundary`, for blocking;
/// owned columns of all rows in `interior` and what the ghosts add in `boundary` for split, which
/// hides an exchange where hardly any row is interior, and whose bits are its own, since sums of
/// rows come in two parts.
struct LocalKernels {
  std::unique_ptr<SpmvKernel> interior, boundary;
  /// Beside the interior rows. With Order::overlap the boundary rows are computed there as soon as
  /// their ghosts are there: they are few, and by themselves leave a GPU nearly empty. With
  /// Order::blocking sums for other ranks are, so that their end and the rows' begin share the GPU:
  /// rmat:22 takes 7 % less on 2 H200s, 6 % on 4; where the rows leave no room, the sums set out
  /// later (empty on 4 H100s took 90 instead of 84 us). Null: one after the other.
  std::unique_ptr<const SideStream> side;
  /// With partial sums (partial_sum_kernels.hpp): those for other ranks, from x, and what adds the
  /// ones that came to y. Null: none.
  std::shared_ptr<const SpmvKernel> sums, added;
  Order order = Order::overlap;        ///< that the kernels are made for
  LocalIndex rows = 0;                 ///< of the local matrix
  NumberType type = NumberType::fp64;  ///< of the entries of x and y
  bool repeatable = true;              ///< the same bits every time
  bool canonical = true;               ///< the bits of spmv_kernel.hpp in every row
  int vectors = 1;                     ///< that a product takes at once

  /// Of the vectors of a product: row where all kernels take several; column where a product of
  /// several is one for each, with an exchange of its own.
  Layout layout() const;

  /// Sum of all.
  KernelWork work() const;
  /// Parts of x.y that a product leaves where it is asked for; nothing where a kernel does not sum
  /// along, or y is not final in one pass.
  std::optional<std::int64_t> dot_parts() const;
  /// Copies the values of the rows anew (SpmvKernel::refill()); sums are no rows.
  void refill(Stream stream);
  /// Whether they may come from elsewhere than the local matrix, and the same from there.
  bool copies_values() const;
  void refill_from(const void* values, Stream stream);
};

/// Local. Of the columns that a step takes for itself: adds to what y holds, whatever beta is.
std::unique_ptr<SpmvKernel> make_adding_kernel(const FormatEntry& format, const CsrView& matrix,
                                               RowListView rows, const Spec& options);

/// Local. The first kernel of an order, and those of partial sums. A vendor's format takes all rows
/// at once, so that overlap becomes blocking.
LocalKernels make_interior_kernel(const OperatorParts& parts, Order order,
                                  const FormatEntry& format, const Spec& options);
/// Local. The second, with a stream of its own where that pays; nothing for blocking. A refusal
/// leaves `kernels` as they were.
void make_boundary_kernel(const OperatorParts& parts, const FormatEntry& format,
                          const Spec& options, LocalKernels& kernels);

/// Local. Both. Throws InputError when a format is unknown or refuses.
LocalKernels make_local_kernels(const OperatorParts& parts, Order order,
                                const Spec& interior_format, const Spec& boundary_format);

}  // namespace rowhalo
