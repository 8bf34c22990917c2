// SPDX-License-Identifier: BSD-3-Clause
//
// One sparse matrix-vector product on one rank: y = alpha * A * x + beta * y over the rows of a
// list.
//
// The bits (csr, csr-omp, sell and every other format whose table entry says `canonical`):
//   s = +0;  s = fma(a_ij, x_j, s) over the entries of row i in stored order;
//   y_i = beta == 0 ? alpha * s : fma(alpha, s, beta * y_i)
// in the precision of the run. y is not read when beta == 0, so it may hold NaN. An empty row gives
// alpha * (+0) (+ beta * y). Padding never affects y: if a kernel loads some x for a padding slot,
// it discards the result, even if that x is NaN or Inf.
#pragma once

#include <optional>
#include <string>

#include "kernels/local_product.hpp"

namespace rowhalo {

/// A CUDA stream without its header; null on the CPU.
struct Stream {
  void* handle = nullptr;
};

/// What one product costs, exactly, from the stored matrix.
struct KernelWork {
  std::int64_t bytes = 0;  ///< moved: matrix and indices once, x and y once (y twice if beta != 0)
  std::int64_t matrix_bytes = 0;    ///< of these, all but the vectors: what the format reads
  std::int64_t stored_entries = 0;  ///< slots that hold an entry or padding
  std::int64_t flops = 0;           ///< 2 per nonzero
  std::int64_t footprint_bytes =
      0;                     ///< memory that the format itself holds (shared CSR not counted)
  double setup_seconds = 0;  ///< conversion from CSR

  // How well the format suits the matrix; empty where it is not known (a vendor's library).
  std::optional<double> coalescing;  ///< GPU: used bytes over bytes of the 32-byte sectors touched
                                     ///< by loads of values, each load of a warp by itself
  std::optional<double> balance;  ///< GPU: lane steps that sum an entry over all lane steps of the
                                  ///< warps; CPU: mean entries of a thread over the most
  std::string parameters;         ///< what the format chose by itself: "threads=8"
};

/// A local matrix in one format. Only refill() changes it; one thread at a time may call apply() or
/// refill().
class SpmvKernel {
 public:
  virtual ~SpmvKernel() = default;
  SpmvKernel() = default;
  SpmvKernel(const SpmvKernel&) = delete;
  SpmvKernel& operator=(const SpmvKernel&) = delete;

  /// One product; on a GPU in the order of `stream`. Throws std::logic_error where vectors are of
  /// another type than the kernel's, or several and the kernel takes one, and where dot_parts are
  /// asked of a kernel without.
  void apply(const LocalProduct& product, Stream stream) const;

  /// Whether apply() takes several vectors: each column of y has the bits of the product with that
  /// column of x alone where the format is canonical; in others bits that depend on no other column
  /// and repeat where those of one vector do.
  virtual bool takes_several() const { return false; }

  /// Parts of x.y that apply() leaves where LocalProduct::dot_parts asks for them, in fp64; nothing
  /// where the format does not sum along.
  virtual std::optional<std::int64_t> dot_parts() const { return {}; }

  /// Whether apply() begins before what stands right before it in the stream has ended (on GPUs:
  /// early_start.cuh); behind a wait for another stream it could not.
  virtual bool starts_early() const { return false; }

  /// Whether apply() keeps off CsrView::multiprocessors_beside multiprocessors until it ends, so
  /// that what other streams hold finds room at once.
  virtual bool leaves_room() const { return false; }

  /// Copies the values anew from the arrays of the CsrView that the kernel was made from, whose
  /// owner has changed them; the structure stays, and nothing is allocated. Products have the bits
  /// of a new kernel with this structure. On a GPU in the order of `stream`, which takes the new
  /// values before and products afterwards. For kernels of a view that was `refillable`. A format
  /// that reads the values where they are has nothing to copy.
  virtual void refill([[maybe_unused]] Stream stream) {}
  /// Whether that copies all of them, so that products do not read the values of the CsrView.
  virtual bool copies_values() const { return false; }
  /// The same from `values` instead, in the order and precision of the CsrView and in the memory of
  /// its device; of kernels with copies_values(). Throws std::logic_error of others.
  virtual void refill_from(const void* values, Stream stream);

  /// Work of one product with beta == 0.
  virtual KernelWork work() const = 0;
  /// The same with 1 to most_vectors vectors: the matrix once, vectors and flops for each; of a
  /// kernel that takes one, that many products.
  KernelWork work(int vectors) const;

 protected:
  /// What apply() does, with one vector; dot_parts are asked for only where dot_parts() has some.
  virtual void multiply(const LocalProduct& product, Stream stream) const = 0;
  /// The same with 2 to most_vectors vectors, where takes_several().
  virtual void multiply_several([[maybe_unused]] const LocalProduct& product,
                                [[maybe_unused]] Stream stream) const {}
};

}  // namespace rowhalo
