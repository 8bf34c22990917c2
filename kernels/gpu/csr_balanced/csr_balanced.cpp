// SPDX-License-Identifier: BSD-3-Clause
//
// csr-balanced: CSR in which every lane of the GPU multiplies the same number of entries, however
// long the rows are. One kernel (csr_balanced.cu) follows a plan made once (balanced_plan.hpp).
//
//   entries   0 . . . . . 255 | 256 . . . . 511 | 512 . . .    values and columns of CSR
//             --- chunk 0 ---   --- chunk 1 ---                256 entries: 8 per lane
//   marks     16 bits per lane and chunk: 8 flags (1 = last entry of its row), 8-bit count of the
//             rows that end in earlier lanes of the chunk
//   shares    chunks 0 .. c-1 | c .. 2c-1 | ...                about c chunks per share (chunks=c);
//             of W warps, warp w takes shares w, w + W, w + 2 W, ... (if rows are very long and
//             there are no hubs: in the plan's order, gather_long_rows)
//
//   loading   lane l takes entries l, l + 32, ... : neighbouring lanes read neighbouring entries
//   summing   lane l takes products 8 l .. 8 l + 7 : each lane holds a piece of the entry order
//
//             lane 0     lane 1     lane 2          (4 of 8 entries drawn; letters are rows)
//             a a a b    b b b b    b c c d
//                   +----+-------+--+      +-->     d continues: carried into the next chunk
//                   b: segmented sum over lanes     a, b, c end here: their y are written
//
// A row within one share is complete when it ends. A row with entries in several shares has one
// partial sum per share; the share that finishes last adds them in a fixed order, so the bits are
// reproducible from run to run.
//
// Several vectors at once: the same plan (balanced_several.cu).
//
// Rows without entries cost one bit and their y. If few columns have many entries, x of these hubs
// lies in shared memory (hub_columns.hpp; hubs= sets the most, 0 for none): gathers, not bytes,
// limit such matrices. If the columns of nearly every chunk are within 65536, they take 16 bits
// (columns16.hpp; columns=16 or 32). At most 256 distinct values take 8 bits each
// (columns16.hpp), a single one none, values that are exact in 16 bits (fixed_point.hpp) take
// these, and fp64 values that all are exact in fp32 take that (codes=on: in small matrices, too;
// codes=off: none of these). The kernel reads the arrays of the CsrView in place; hubs, 16-bit
// columns and values in fewer bytes need copies. If only some rows are listed, indices and values
// are copied.
//
// Bytes of the matrix: n (v + 4 + 1/4), with columns of 16 bits n (v + 2 + 1/4) and 4 more per
// entry of other chunks; v is 1, 0, 2 or 4 where values are coded; 4 per chunk of 256 entries (16
// bits: 8); where rows are empty, m / 8 and 4 per row that is not; 4 per hub; 4 + 4 per share of 4
// to 16 chunks (very long rows: 4 more), of which 2 sums are written and read.
#include <fmt/format.h>

#include "kernels/gpu/csr_balanced/balanced_tuning.hpp"
#include "kernels/gpu/csr_balanced/csr_balanced.hpp"
#include "kernels/gpu/csr_balanced/hub_columns.hpp"
#include "kernels/gpu/device/device_format.hpp"
#include "kernels/gpu/values/exact_values.hpp"

namespace rowhalo {
namespace {

template <class Numbers>
class CsrBalancedKernel final : public DeviceFormat {
 public:
  CsrBalancedKernel(const CsrView& matrix, RowListView rows, const Spec& options, ExactValues exact)
      : DeviceFormat(matrix, rows) {
    const auto chunks = static_cast<int>(
        options.integer("chunks", fitting_chunks(row_lengths_on_device(matrix, rows)), 1, 1024));
    const std::int32_t hubs = most_hubs(options);
    if (rows.count == 0) return;
    const int multiprocessors = free_multiprocessors(matrix, rows);
    const WarpGrid grid{multiprocessors, block_warps};
    plan_ = make_balanced_plan(matrix, rows, grid, chunks);
    gather_long_rows(plan_, indices(), grid);
    choose_columns(options);
    if (columns16_.bases.size() == 0) {
      hubs_ = find_hubs(indices(), plan_.entries, matrix.columns, sizeof(Vector), hubs,
                        options.has("hubs") ? HubChoice::always : HubChoice::where_they_pay);
    }
    if (hubs_.count() > 0) plan_.indices = {}, plan_.order = {};
    const int warps = (plan_.units.parts + multiprocessors - 1) / multiprocessors;
    grid_.threads = std::min(warps, block_warps) * warp_size;
    grid_.blocks = std::min(blocks_for(std::int64_t{plan_.units.parts} * warp_size, grid_.threads),
                            static_cast<unsigned>(multiprocessors));
    store_values(exact);
    partial_sums_ = DeviceArray<Sum>(2 * std::int64_t{plan_.shares.parts});
    if (has_several<Numbers>) {
      sums_of_several_ = DeviceArray<Sum>(2 * std::int64_t{plan_.shares.parts} * most_vectors);
    }
    arrived_ = filled_array<unsigned>(plan_.split_rows.size());
  }

  bool takes_several() const override { return has_several<Numbers>; }

  bool leaves_room() const override { return true; }

 private:
  void launch_product(const LocalProduct& product, cudaStream_t stream) const override {
    if constexpr (takes_coded_values<Wide>) {
      if (codes_) return launch_balanced<Wide>(arguments<Wide>(product, nullptr), grid_, stream);
    }
    launch_balanced<Numbers>(arguments<Numbers>(product, stored_values()), grid_, stream);
  }
  void launch_several(const LocalProduct& product, cudaStream_t stream) const override {
    if constexpr (has_several<Numbers>) {
      if (codes_) return launch_with_room<Wide>(product, nullptr, stream);
      launch_with_room<Numbers>(product, stored_values(), stream);
    }
  }
  void refill_values(const CsrView& matrix, Stream stream) override {
    if (!plan_.in_place) copy_listed_values(matrix, plan_, stream);
  }
  bool copies_values() const override { return !plan_.in_place; }

  using Matrix = typename Numbers::Matrix;
  using Vector = typename Numbers::Vector;
  using Sum = typename Numbers::Sum;
  /// What coded values become.
  using Wide = NumberTypes<Sum, Vector, Sum>;
  static constexpr int block_warps = most_balanced_threads<Numbers> / warp_size;

  template <class Types>
  BalancedArguments<Types> arguments(const LocalProduct& product,
                                     const typename Types::Matrix* values) const {
    return {
        product,
        plan_.view(),
        hubs_.count() > 0 ? hubs_.indices.data() : indices(),
        columns16_.view(),
        values,
        {reinterpret_cast<const Sum*>(codes_.table.data()), static_cast<int>(codes_.distinct),
         reinterpret_cast<const ValuePositions*>(codes_.positions.data()),
         reinterpret_cast<const uint4*>(codes_.fixed.data()), FixedPointCode<Sum>(codes_.point)},
        hubs_.columns.data(),
        hubs_.count(),
        partial_sums_.data(),
        arrived_.data()};
  }
  /// Several vectors, with their partial sums.
  template <class Types>
  void launch_with_room(const LocalProduct& product, const typename Types::Matrix* values,
                        cudaStream_t stream) const {
    BalancedArguments<Types> of_several = arguments<Types>(product, values);
    of_several.partial_sums = sums_of_several_.data();
    launch_balanced_several(of_several, product, stream);
  }

  /// As positions in a table where few are distinct, in 16 bits where these hold them; else as they
  /// are, or as `exact` has them.
  void store_values(ExactValues& exact) {
    prepare_balanced<Numbers>();
    in_fp32_ = exact.singles.bytes() > 0;
    if (plan_.in_place) singles_ = std::move(exact.singles);
    if constexpr (takes_coded_values<Wide>) {
      if (exact.distinct.empty() && !exact.fixed) return;
      prepare_balanced<Wide>();
      try {
        codes_ = value_codes<Matrix, Sum>(static_cast<const Matrix*>(values()), plan_.entries,
                                          exact, CodeOrder::of_chunks);
      } catch (const OutOfDeviceMemory&) {
        return;  // in place they need none
      }
      plan_.values = {};
    }
  }

  static int free_multiprocessors(const CsrView& matrix, RowListView rows) {
    const int all = device_attribute(cudaDevAttrMultiProcessorCount);
    const int left =
        rows.groups == nullptr ? matrix.multiprocessors_beside : multiprocessors_for_exchange;
    return std::max(all - left, 1);
  }

  /// What fits into shared memory beside the staged products and a table of values.
  static std::int32_t most_hubs(const Spec& options) {
    constexpr int numbers = block_warps * chunk_entries + most_distinct_values;
    const int bytes =
        device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) - numbers * int{sizeof(Sum)};
    const auto most = bytes / static_cast<int>(sizeof(Vector));
    const int fallback = std::min(most, most_hub_bytes / static_cast<int>(sizeof(Vector)));
    return static_cast<std::int32_t>(options.integer("hubs", fallback, 0, most));
  }

  /// Columns of 16 bits where few chunks have to be read as they are.
  void choose_columns(const Spec& options) {
    const int bits = options.has("columns") ? one_of(options, "columns", {16, 32}, 0)
                     : options.has("hubs")  ? 32
                                            : 0;
    if (bits == 16 && options.has("hubs")) options.fail("hubs need columns=32");
    if (bits == 32) return;
    columns16_ = encode_columns16(indices(), plan_.entries);
    const auto uncoded = static_cast<double>(columns16_.chunks32);
    if (bits == 0 && uncoded > most_uncoded_chunks * static_cast<double>(columns16_.bases.size()))
      columns16_ = {};
    if (columns16_.bases.size() > 0 && columns16_.chunks32 == 0) plan_.indices = {};
  }

  /// Columns of the entries, hubs not yet taken out.
  const LocalIndex* indices() const { return plan_.in_place ? csr_.indices : plan_.indices.data(); }
  const Matrix* stored_values() const { return static_cast<const Matrix*>(values()); }
  /// Of the entries, where they are not coded.
  const void* values() const { return plan_.in_place ? csr_.values : plan_.values.data(); }
  std::int64_t value_bytes() const {
    if (codes_) return codes_.bytes();
    return plan_.entries * static_cast<std::int64_t>(sizeof(Matrix));
  }

  std::int64_t stored_entries() const override { return plan_.entries; }
  std::int64_t matrix_bytes(const RowCounts&) const override {
    const bool has_columns16 = columns16_.bases.size() > 0;
    const Offset as_they_are = has_columns16 ? columns16_.chunks32 * chunk_entries : plan_.entries;
    return value_bytes() + as_they_are * static_cast<std::int64_t>(sizeof(LocalIndex)) +
           columns16_.bytes() + plan_.bytes() + hubs_.columns.bytes() +
           2 * (partial_sums_.bytes() + arrived_.bytes());
  }
  std::int64_t footprint_bytes() const override {
    return plan_.bytes() + plan_.indices.bytes() + plan_.values.bytes() + plan_.row_begins.bytes() +
           singles_.bytes() + codes_.bytes() + hubs_.columns.bytes() + hubs_.indices.bytes() +
           columns16_.bytes() + partial_sums_.bytes() + sums_of_several_.bytes() + arrived_.bytes();
  }
  std::string parameters() const override {
    std::vector<std::string> parts;
    if (columns16_.bases.size() > 0) parts.push_back("columns=16");
    if (hubs_.count() > 0) parts.push_back("hubs=" + std::to_string(hubs_.count()));
    if (codes_) parts.push_back(codes_.text());
    if (in_fp32_) parts.push_back("values=fp32");
    return fmt::format("{}", fmt::join(parts, ","));
  }

  BalancedPlan plan_;
  HubColumns hubs_;
  Columns16 columns16_;
  ValueCodes codes_;
  bool in_fp32_ = false;  ///< fp64 values are stored as fp32
  DeviceMemory singles_;  ///< these, where they are used in place
  BalancedGrid grid_;
  DeviceArray<Sum> partial_sums_, sums_of_several_;
  DeviceArray<unsigned> arrived_;
};

}  // namespace

const FormatParts csr_balanced_format{
    make_with_exact_values<CsrBalancedKernel, least_saved_of_csr>,
    {"chunks", "codes", "hubs", "columns"},
    [](const LocalStatistics& s) {
      constexpr double column_bytes = 2;  // at best
      return Prediction{
          .bytes = (cost::value_bytes(s) + column_bytes) * cost::nonzeros(s) + cost::y_bytes(s),
          .saved_bytes = cost::saved_by_codes(s)};
    }};

}  // namespace rowhalo
