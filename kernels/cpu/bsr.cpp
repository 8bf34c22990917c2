// SPDX-License-Identifier: BSD-3-Clause
//
// bsr: dense blocks of b x b, one index per block (Saad: Iterative methods for sparse linear
// systems, section 3.4). b consecutive rows of the list make a block row. Its blocks begin at any
// column (block_size.hpp).
//   for each block, i < b, j < b: sums[i][j] = fma(a_ij, x[column + j], sums[i][j])
//   y_i from sums[i][0] + sums[i][1] + ...
// One sum per entry of the block: b * b independent chains, whatever the vector width, so the bits
// do not depend on it. They are not those of csr. A block that is not full has its column stored as
// ~column and a mask, which keeps padding from x; full blocks pay nothing for it.
//
// Bytes of the matrix: B (b b v + 4) + 16 (m / b + 1) + rows, with B blocks of b x b; 8 more per
// block that is not full.

#include "kernels/cpu/cpu_format.hpp"

namespace rowhalo {
namespace {

/// Where a block row's data begin; one more stands behind the last.
struct BlockRow {
  Offset block = 0;
  Offset mask = 0;
};

template <class T>
struct BsrArguments : ProductArguments<T> {
  RowListView rows;
  LocalIndex last_column;
  const BlockRow* begins;
  const LocalIndex* columns;   ///< first column of each block, or ~ of it where it has a mask
  const std::uint64_t* masks;  ///< bit i * b + j of those blocks in order
  const T* values;             ///< [block][i][j]
};

template <class T, int b>
struct BsrBody {
  using Arguments = BsrArguments<T>;

  [[gnu::always_inline]] static void add_full(const T* values, const T* x, T* sums) {
#pragma GCC unroll 8
    for (int i = 0; i < b; ++i) {
#pragma GCC unroll 8
      for (int j = 0; j < b; ++j) {
        sums[i * b + j] = fused_multiply_add(values[i * b + j], x[j], sums[i * b + j]);
      }
    }
  }

  /// A slot without entry takes +0 in place of x. Columns beyond the last hold no entry.
  [[gnu::always_inline]] static void add_masked(const Arguments& a, const T* values,
                                                LocalIndex column, std::uint64_t mask, T* sums) {
    for (int j = 0; j < b; ++j) {
      const T x = a.x[std::min<std::int64_t>(std::int64_t{column} + j, a.last_column)];
      for (int i = 0; i < b; ++i) {
        const T own = (mask >> (i * b + j) & 1) != 0 ? x : T{0};
        sums[i * b + j] = fused_multiply_add(values[i * b + j], own, sums[i * b + j]);
      }
    }
  }

  /// Block rows [begin, end).
  template <int vector_bytes>
  [[gnu::always_inline]] static void run(const Arguments& arguments, std::int64_t begin,
                                         std::int64_t end) {
    const Arguments a = arguments;  // a copy that y cannot alias
    for (std::int64_t r = begin; r < end; ++r) {
      T sums[b * b] = {};
      Offset mask = a.begins[r].mask;
      const T* values = a.values + a.begins[r].block * b * b;
      for (Offset k = a.begins[r].block; k < a.begins[r + 1].block; ++k, values += b * b) {
        const LocalIndex column = a.columns[k];
        if (column >= 0) {
          add_full(values, a.x + column, sums);
        } else {
          add_masked(a, values, ~column, a.masks[mask++], sums);
        }
      }
      const auto first = static_cast<LocalIndex>(r * b);
      const LocalIndex lanes = std::min<LocalIndex>(b, a.rows.count - first);
      for (LocalIndex i = 0; i < lanes; ++i) {
        T sum = sums[i * b];
        for (int j = 1; j < b; ++j) sum += sums[i * b + j];
        finish_row(a.alpha, sum, a.beta, a.y[a.rows[first + i]]);
      }
    }
  }
};

/// Several vectors: the rows of X of a block meet all its rows while they are in registers, and a
/// row has one sum per vector, along its blocks:
///   for each block, j < b, i < b: sum[i][k] = fma(a_ij, X[column + j][k], sum[i][k])
template <class T>
struct BsrSeveral {
  using Value = T;
  struct Arguments : SeveralArguments<T> {
    BsrArguments<T> bsr;
    int b;
  };

  /// Rows [i, i + group) of the blocks of block row r, of which those from `done` on are written.
  /// width: b, or 0 where it is known only when it runs.
  template <class Sums, int group, int width>
  [[gnu::always_inline]] static void multiply(const Arguments& a, std::int64_t r, int i, int done,
                                              const RowsOfY<T>& y) {
    const BsrArguments<T>& m = a.bsr;
    const int b = width == 0 ? a.b : width;
    Sums sums[group];
    Offset mask = m.begins[r].mask;
    const Offset end = m.begins[r + 1].block;
    for (Offset k = m.begins[r].block; k < end; ++k) {
      const LocalIndex column = m.columns[k];
      const T* values = m.values + k * b * b + i * b;
      const T* x = a.x + (column >= 0 ? column : ~column) * a.vectors;
      if (column >= 0) {
#pragma GCC unroll 4
        for (int j = 0; j < b; ++j, x += a.vectors) {
#pragma GCC unroll 4
          for (int l = 0; l < group; ++l) sums[l].add(values[l * b + j], x, a.vectors);
        }
      } else {
        const std::uint64_t has = m.masks[mask++] >> (i * b);
        for (int j = 0; j < b; ++j, x += a.vectors) {
#pragma GCC unroll 4
          for (int l = 0; l < group; ++l) {
            if ((has >> (l * b + j) & 1) != 0) sums[l].add(values[l * b + j], x, a.vectors);
          }
        }
      }
    }
    const auto first = static_cast<LocalIndex>(r * b + i);
#pragma GCC unroll 4
    for (int l = 0; l < group; ++l) {
      if (l < done || first + l >= m.rows.count) continue;
      sums[l].finish(a.alpha, a.beta, y(m.rows[first + l], a.vectors), a.vectors);
    }
  }

  /// Block rows [begin, end).
  template <class Sums>
  [[gnu::always_inline]] static void run(const Arguments& arguments, std::int64_t begin,
                                         std::int64_t end) {
    const Arguments a = arguments;  // a copy that Y cannot alias
    const RowsOfY<T> y{a.y, 0};
    for (std::int64_t r = begin; r < end; ++r) {
      if (a.b == 2) {
        multiply<Sums, 2, 2>(a, r, 0, 0, y);
      } else if (a.b == 3) {
        multiply<Sums, 3, 3>(a, r, 0, 0, y);
      } else {
        multiply<Sums, 4, 0>(a, r, 0, 0, y);
        if (a.b > 4) multiply<Sums, 4, 0>(a, r, a.b - 4, 8 - a.b, y);
      }
    }
  }
};

template <class T>
class BsrKernel final : public CpuFormat {
 public:
  BsrKernel(const CsrView& matrix, RowListView rows, const Spec& options)
      : CpuFormat(matrix, rows) {
    const Isa isa = chosen_isa(options);
    constexpr BlockSampling sampling{1e18, 1, 4096, std::numeric_limits<std::int64_t>::max()};
    const auto measure = [&] { return sample_blocks(matrix, rows, sampling); };
    b_ = choose_block_size(matrix, options, measure).size;
    block_rows_ = cover().block_rows();
    count_blocks();
    slots_ = begins_[block_rows_].block * b_ * b_;
    check_padding(options, {slots_, listed_nonzeros(matrix, rows), matrix},
                  fmt::format("{} blocks of {} x {}", begins_[block_rows_].block, b_, b_),
                  "make b= smaller, or use sell");
    cut_parts(block_rows_,
              [&](std::int64_t r) { return begins_[r].block * b_ * b_ + row_cost * b_ * r; });
    fill();
    run_ = with_block_size(
        b_, [&](auto b) -> RangeFunction<BsrBody<T, 2>> { return for_isa<BsrBody<T, b>>(isa); });
    run_several_ = for_isa<SeveralBody<BsrSeveral<T>>>(isa);
  }

  bool takes_several() const override { return true; }

 private:
  void multiply(const LocalProduct& product, Stream) const override {
    run_parts(run_, arguments_of(product));
  }
  void multiply_several(const LocalProduct& product, Stream) const override {
    run_several_parts(run_several_,
                      typename BsrSeveral<T>::Arguments{{product, 0}, arguments_of(product), b_});
  }
  BsrArguments<T> arguments_of(const LocalProduct& product) const {
    return {product,         rows_,         csr_.columns - 1, begins_.data(),
            columns_.data(), masks_.data(), values_.data()};
  }
  void refill(Stream) override {
    for_each_part(bounds_, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) fill_values(r);
    });
  }

  std::int64_t stored_entries() const override { return slots_; }
  std::int64_t held_bytes() const override {
    return begins_.bytes() + columns_.bytes() + masks_.bytes() + values_.bytes();
  }
  std::string parameters() const override {
    return describe_blocks(b_, listed_nonzeros(csr_, rows_), slots_);
  }

  BlockCover cover() const { return {csr_, rows_, b_}; }

  void count_blocks() {
    begins_ = Buffer<BlockRow>(block_rows_ + 1);
    begins_[0] = {};
    FirstFailure failure;
#pragma omp parallel
    {
      BlockCover cover = this->cover();
#pragma omp for schedule(static)
      for (std::int64_t r = 0; r < block_rows_; ++r) {
        failure.catching([&] {
          const std::vector<CoveringBlock>& blocks = cover.blocks(r);
          begins_[r + 1].block = static_cast<Offset>(blocks.size());
          begins_[r + 1].mask =
              std::count_if(blocks.begin(), blocks.end(),
                            [&](const CoveringBlock& block) { return !cover.is_full(block); });
        });
      }
    }
    failure.rethrow();
    for (std::int64_t r = 0; r < block_rows_; ++r) {
      begins_[r + 1].block += begins_[r].block;
      begins_[r + 1].mask += begins_[r].mask;
    }
  }

  /// Copies the entries to their blocks; each thread touches first what it will read.
  void fill() {
    columns_ = Buffer<LocalIndex>(begins_[block_rows_].block);
    masks_ = Buffer<std::uint64_t>(begins_[block_rows_].mask);
    values_ = Buffer<T>(slots_);
    for_each_part(bounds_, [&](std::int64_t begin, std::int64_t end) {
      BlockCover cover = this->cover();
      for (std::int64_t r = begin; r < end; ++r) {
        fill_columns(r, cover);
        fill_values(r);
      }
    });
  }

  void fill_columns(std::int64_t r, BlockCover& cover) {
    Offset slot = begins_[r].block, mask = begins_[r].mask;
    for (const CoveringBlock& block : cover.blocks(r)) {
      columns_[slot++] = cover.is_full(block) ? block.column : ~block.column;
      if (!cover.is_full(block)) masks_[mask++] = block.mask;
    }
  }

  void fill_values(std::int64_t r) {
    const auto first = static_cast<LocalIndex>(r * b_);
    const LocalIndex lanes = std::min<LocalIndex>(b_, rows_.count - first);
    const auto* entries = static_cast<const T*>(csr_.values);
    const LocalIndex* begin = columns_.data() + begins_[r].block;
    const LocalIndex* end = columns_.data() + begins_[r + 1].block;
    const auto column_of = [](LocalIndex stored) { return stored >= 0 ? stored : ~stored; };
    const std::int64_t area = std::int64_t{b_} * b_;
    T* values = values_.data() + begins_[r].block * area;
    std::fill_n(values, (end - begin) * area, T{0});
    for (LocalIndex i = 0; i < lanes; ++i) {
      const LocalIndex row = rows_[first + i];
      const LocalIndex* block = begin;
      for (Offset e = csr_.offsets[row]; e < csr_.offsets[row + 1]; ++e) {
        const LocalIndex column = csr_.indices[e];
        const auto lies_in = [&](const LocalIndex* one) {
          return one < end && column >= column_of(*one) && column - column_of(*one) < b_;
        };
        if (!lies_in(block)) {  // mostly in the next
          const auto lies_before = [&](LocalIndex c, LocalIndex other) {
            return c < column_of(other);
          };
          ++block;
          if (!lies_in(block)) block = std::upper_bound(begin, end, column, lies_before) - 1;
        }
        values[(block - begin) * area + i * b_ + column - column_of(*block)] += entries[e];
      }
    }
  }

  int b_ = 0;
  std::int64_t block_rows_ = 0, slots_ = 0;
  Buffer<BlockRow> begins_;
  Buffer<LocalIndex> columns_;
  Buffer<std::uint64_t> masks_;
  Buffer<T> values_;
  RangeFunction<BsrBody<T, 2>> run_ = nullptr;
  RangeFunction<SeveralBody<BsrSeveral<T>>> run_several_ = nullptr;
};

}  // namespace

const FormatParts bsr_format{
    make_cpu_format<BsrKernel>, {"b", "max_padding", "simd"}, [](const LocalStatistics& s) {
      // With the block size that it will choose.
      const double per_nonzero = best_blocks(s.blocks, cost::value_bytes(s)).bytes;
      return Prediction{per_nonzero * cost::nonzeros(s) + cost::y_bytes(s)};
    }};

}  // namespace rowhalo
