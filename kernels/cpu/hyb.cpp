// SPDX-License-Identifier: BSD-3-Clause
//
// hyb: the first `width` entries of each row in an ELLPACK block, the others in a list of
// coordinates (Bell, Garland: Implementing sparse matrix-vector multiplication on
// throughput-oriented processors, SC 2009), and its two ends:
//   ell  ELLPACK (Grimes, Kincaid, Young: ITPACK 2.0 user's guide, 1979): every row is padded to
//   the
//        longest of the list, which is all block. Refuses where a few long rows would pad all.
//   coo  all entries in the list
// The block is column-major within chunks of 256 rows: the k-th entries of the rows of a chunk
// stand side by side, padding (index -1, value 0) where a row has ended. (Column-major over all
// rows, as GPUs want it, is as many streams as columns, too many for the prefetchers of a CPU:
// measured, half the speed.) The list holds (row, column, value), ordered by row.
//   for each chunk: sums = +0
//     for k < width, for each row i of the chunk: sums[i] = fma(value, x[column], sums[i])
//     for each entry of the chunk's list:         sums[row] = fma(value, x[column], sums[row])
// The sums of a chunk stay in the first-level cache. A row is summed in stored order and belongs to
// one thread: the bits of csr, and no atomics. Threads own ranges of chunks of even cost.
// Without width= the one that stores the fewest bytes. One column more costs a slot per row, 12
// bytes in fp64, and saves an entry of 16 in the list for each row that is longer: it pays while
// more than 3/4 (fp32: 2/3) of the rows are longer.
//
// Bytes of the matrix (coo): n (v + 8) + 12 per 256 rows + rows.
//
// Bytes of the matrix (ell): (v + 4) m L + 12 per 256 rows + rows, with L the longest row.
//
// Bytes of the matrix (hyb): (v + 4) m W + (v + 8) b + 12 per 256 rows + rows, with W the width and
// b the entries beyond it.

#include "kernels/cpu/cpu_format.hpp"
#include "kernels/cpu/lanes.hpp"
#include "kernels/cpu/several_slices.hpp"

namespace rowhalo {
namespace {

template <class T>
struct HybBody {
  static constexpr LocalIndex chunk_rows = 256;

  struct Arguments : ProductArguments<T> {
    RowListView rows;
    LocalIndex width;
    const LocalIndex* full;  ///< per chunk: columns of the block without padding
    const LocalIndex* block_indices;
    const T* block_values;
    const Offset* begins;         ///< per chunk: its first entry in the list
    const LocalIndex* list_rows;  ///< positions in `rows`
    const LocalIndex* list_columns;
    const T* list_values;
  };

  /// The list's entries of one chunk; a row's entries are summed in a register.
  [[gnu::always_inline]] static void add_list(const Arguments& a, std::int64_t chunk, T* sums) {
    const LocalIndex first = static_cast<LocalIndex>(chunk * chunk_rows);
    const Offset end = a.begins[chunk + 1];
    for (Offset e = a.begins[chunk]; e < end;) {
      const LocalIndex row = a.list_rows[e];
      T sum = sums[row - first];
      do {
        sum = fused_multiply_add(a.list_values[e], a.x[a.list_columns[e]], sum);
        ++e;
      } while (e < end && a.list_rows[e] == row);
      sums[row - first] = sum;
    }
  }

  /// Chunks [begin, end).
  template <int vector_bytes>
  [[gnu::always_inline]] static void run(const Arguments& arguments, std::int64_t begin,
                                         std::int64_t end) {
    const Arguments a = arguments;  // a copy that y cannot alias
    for (std::int64_t chunk = begin; chunk < end; ++chunk) {
      const auto first = static_cast<LocalIndex>(chunk * chunk_rows);
      const LocalIndex lanes = std::min(chunk_rows, a.rows.count - first);
      alignas(64) T sums[chunk_rows] = {};
      Offset slot = Offset{first} * a.width;
      LocalIndex k = 0;
      for (; k < a.full[chunk]; ++k, slot += lanes) {
        add_gathered_lanes<Slots::entries, vector_bytes>(a.block_values + slot,
                                                         a.block_indices + slot, a.x, sums, lanes);
      }
      for (; k < a.width; ++k, slot += lanes) {
        add_gathered_lanes<Slots::may_be_empty, vector_bytes>(
            a.block_values + slot, a.block_indices + slot, a.x, sums, lanes);
      }
      add_list(a, chunk, sums);
      for (LocalIndex l = 0; l < lanes; ++l) {
        finish_row(a.alpha, sums[l], a.beta, a.y[a.rows[first + l]]);
      }
    }
  }
};

/// Entries of the row at each position of the list.
std::vector<LocalIndex> lengths_of_rows(const CsrView& matrix, RowListView rows) {
  std::vector<LocalIndex> lengths(static_cast<std::size_t>(rows.count));
#pragma omp parallel for schedule(static)
  for (LocalIndex k = 0; k < rows.count; ++k) {
    const LocalIndex row = rows[k];
    lengths[k] = static_cast<LocalIndex>(matrix.offsets[row + 1] - matrix.offsets[row]);
  }
  return lengths;
}

/// The width of the block of rows so long, where the options and max_padding= allow it.
using ChooseWidth = LocalIndex(const CsrView& matrix, RowListView rows,
                               const std::vector<LocalIndex>& lengths, const Spec& options);

/// Where a row's entries may stand.
enum class Places { block, block_and_list };

template <class T>
class HybKernel final : public CpuFormat {
 public:
  HybKernel(const CsrView& matrix, RowListView rows, const Spec& options, ChooseWidth* choose_width,
            Places places)
      : CpuFormat(matrix, rows),
        run_(for_isa<HybBody<T>>(chosen_isa(options))),
        run_several_(several_functions<T>(chosen_isa(options)).slice),
        places_(places) {
    const std::vector<LocalIndex> lengths = lengths_of_rows(matrix, rows);
    width_ = choose_width(matrix, rows, lengths, options);
    chunks_ = (std::int64_t{rows.count} + chunk_rows - 1) / chunk_rows;
    cut_chunks(lengths);
    cut_parts(chunks_, [&](std::int64_t chunk) {
      const std::int64_t rows_before = std::min<std::int64_t>(chunk * chunk_rows, rows_.count);
      return begins_[chunk] + rows_before * (width_ + row_cost);
    });
    fill(lengths);
  }

  bool takes_several() const override { return places_ == Places::block; }

 private:
  void multiply(const LocalProduct& product, Stream) const override {
    run_parts(run_, typename HybBody<T>::Arguments{product, rows_, width_, full_.data(),
                                                   block_indices_.data(), block_values_.data(),
                                                   begins_.data(), list_rows_.data(),
                                                   list_columns_.data(), list_values_.data()});
  }
  void multiply_several(const LocalProduct& product, Stream) const override {
    run_several_parts(
        [this](SliceArguments<T> a, std::int64_t begin, std::int64_t end) {
          SlicePiece<T>& piece = a.piece;
          for (std::int64_t chunk = begin; chunk < end; ++chunk) {
            const LocalIndex first = first_row(chunk);
            piece.lanes = first_row(chunk + 1) - first;
            piece.values = block_values_.data() + Offset{first} * width_;
            piece.columns = block_indices_.data() + Offset{first} * width_;
            piece.steps = width_;
            piece.full = full_[chunk];
            piece.first_row = first;
            LocalIndex rows[chunk_rows];
            piece.rows = rows_.groups == nullptr ? nullptr : rows;
            for (LocalIndex l = 0; l < piece.lanes; ++l) rows[l] = rows_[first + l];
            run_several_(a, 0, piece.lanes);
          }
        },
        SliceArguments<T>{{product, streamable_rows()}, {}});
  }

  std::int64_t stored_entries() const override {
    return std::int64_t{width_} * rows_.count + begins_[chunks_];
  }
  std::int64_t held_bytes() const override {
    return full_.bytes() + block_indices_.bytes() + block_values_.bytes() + begins_.bytes() +
           list_rows_.bytes() + list_columns_.bytes() + list_values_.bytes();
  }

  static constexpr LocalIndex chunk_rows = HybBody<T>::chunk_rows;

  LocalIndex first_row(std::int64_t chunk) const {
    return static_cast<LocalIndex>(std::min<std::int64_t>(chunk * chunk_rows, rows_.count));
  }

  /// Full columns of each chunk, and where its entries stand in the list.
  void cut_chunks(const std::vector<LocalIndex>& lengths) {
    full_ = Buffer<LocalIndex>(chunks_);
    begins_ = Buffer<Offset>(chunks_ + 1);
    begins_[0] = 0;
#pragma omp parallel for schedule(static)
    for (std::int64_t chunk = 0; chunk < chunks_; ++chunk) {
      full_[chunk] = width_;
      begins_[chunk + 1] = 0;
      for (LocalIndex k = first_row(chunk); k < first_row(chunk + 1); ++k) {
        full_[chunk] = std::min(full_[chunk], lengths[k]);
        begins_[chunk + 1] += std::max(lengths[k] - width_, 0);
      }
    }
    for (std::int64_t chunk = 0; chunk < chunks_; ++chunk) begins_[chunk + 1] += begins_[chunk];
  }

  /// Copies the entries to their places; each thread touches first what it will read.
  void fill(const std::vector<LocalIndex>& lengths) {
    block_indices_ = Buffer<LocalIndex>(std::int64_t{width_} * rows_.count);
    block_values_ = Buffer<T>(std::int64_t{width_} * rows_.count);
    list_rows_ = Buffer<LocalIndex>(begins_[chunks_]);
    list_columns_ = Buffer<LocalIndex>(begins_[chunks_]);
    list_values_ = Buffer<T>(begins_[chunks_]);
    for_each_part(bounds_, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t chunk = begin; chunk < end; ++chunk) {
        fill_block(chunk, lengths);
        fill_list(chunk, lengths);
      }
    });
  }

  void fill_block(std::int64_t chunk, const std::vector<LocalIndex>& lengths) {
    const auto* values = static_cast<const T*>(csr_.values);
    Offset slot = Offset{first_row(chunk)} * width_;
    for (LocalIndex k = 0; k < width_; ++k) {
      for (LocalIndex i = first_row(chunk); i < first_row(chunk + 1); ++i, ++slot) {
        const Offset entry = csr_.offsets[rows_[i]] + k;
        block_indices_[slot] = k < lengths[i] ? csr_.indices[entry] : padding;
        block_values_[slot] = k < lengths[i] ? values[entry] : T{};
      }
    }
  }

  void fill_list(std::int64_t chunk, const std::vector<LocalIndex>& lengths) {
    const auto* values = static_cast<const T*>(csr_.values);
    Offset slot = begins_[chunk];
    for (LocalIndex i = first_row(chunk); i < first_row(chunk + 1); ++i) {
      const Offset row_begin = csr_.offsets[rows_[i]];
      for (LocalIndex k = width_; k < lengths[i]; ++k, ++slot) {
        list_rows_[slot] = i;
        list_columns_[slot] = csr_.indices[row_begin + k];
        list_values_[slot] = values[row_begin + k];
      }
    }
  }

  LocalIndex width_ = 0;
  RangeFunction<HybBody<T>> run_;
  SeveralSlices<T> run_several_;
  Places places_;
  std::int64_t chunks_ = 0;
  Buffer<LocalIndex> full_, block_indices_, list_rows_, list_columns_;
  Buffer<Offset> begins_;
  Buffer<T> block_values_, list_values_;
};

LocalIndex longest_of(const std::vector<LocalIndex>& lengths) {
  return lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
}

LocalIndex no_width(const CsrView&, RowListView, const std::vector<LocalIndex>&, const Spec&) {
  return 0;
}

LocalIndex longest_width(const CsrView& matrix, RowListView rows,
                         const std::vector<LocalIndex>& lengths, const Spec& options) {
  const LocalIndex width = longest_of(lengths);
  check_padding(options, {std::int64_t{width} * rows.count, listed_nonzeros(matrix, rows), matrix},
                fmt::format("{} rows of the longest one's {} entries", rows.count, width),
                "use hyb, which takes long rows apart, or sell");
  return width;
}

LocalIndex width_of_fewest_bytes(std::vector<LocalIndex> lengths, Precision precision) {
  const auto value_bytes = static_cast<std::int64_t>(matrix_value_bytes(precision));
  const std::int64_t slot = value_bytes + 4, entry = value_bytes + 8;
  const auto rows = static_cast<std::int64_t>(lengths.size());
  if (rows == 0) return 0;
  const auto longer = lengths.begin() + rows * slot / entry;  // may be left to the list
  std::nth_element(lengths.begin(), longer, lengths.end(), std::greater<>());
  return *longer;
}

/// The width of the option or of the rule; no more than the longest row.
LocalIndex chosen_width(const CsrView& matrix, RowListView rows,
                        const std::vector<LocalIndex>& lengths, const Spec& options) {
  const std::int64_t wanted = options.has("width")
                                  ? options.integer("width", 0, 0)
                                  : width_of_fewest_bytes(lengths, matrix.precision);
  const auto width = static_cast<LocalIndex>(std::min<std::int64_t>(wanted, longest_of(lengths)));
  std::int64_t beyond = 0;
#pragma omp parallel for schedule(static) reduction(+ : beyond)
  for (LocalIndex k = 0; k < rows.count; ++k) beyond += std::max(lengths[k] - width, 0);
  check_padding(
      options, {std::int64_t{width} * rows.count + beyond, listed_nonzeros(matrix, rows), matrix},
      fmt::format("{} rows of {} entries, and the {} beyond them,", rows.count, width, beyond),
      "make width= smaller, or leave it out");
  return width;
}

}  // namespace

const FormatParts coo_format{make_cpu_format<HybKernel, no_width, Places::block_and_list>,
                             {"simd"}};

const FormatParts ell_format{make_cpu_format<HybKernel, longest_width, Places::block>,
                             {"max_padding", "simd"}};

const FormatParts hyb_format{make_cpu_format<HybKernel, chosen_width, Places::block_and_list>,
                             {"width", "max_padding", "simd"}};

}  // namespace rowhalo
