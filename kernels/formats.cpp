// SPDX-License-Identifier: BSD-3-Clause
//
// The table of formats. To add one: its file in cpu/ or gpu/, its factory's name below, one line in
// the table; behind it, where the bytes of a product can be told beforehand, its rule
// (cost_model.hpp). Everything else (help, messages, tests) follows from the table.
#include "kernels/formats.hpp"

#include <fmt/format.h>

#include "kernels/gpu/device/runtime.hpp"
#include "partition/base/errors.hpp"

#if ROWHALO_HAVE_CUDA
#define ROWHALO_GPU(factory) factory
#else
#define ROWHALO_GPU(factory) nullptr
#endif

namespace rowhalo {

using Factory = std::unique_ptr<SpmvKernel>(const CsrView&, RowListView, const Spec&);
Factory make_csr, make_csr_omp, make_coo, make_ell, make_hyb, make_jds, make_sell, make_asell,
    make_dia;
Factory make_bsr, make_dense;
Factory make_csr_scalar, make_csr_vector, make_csr_balanced, make_csr_packed, make_csr_panels,
    make_csr_binned, make_gpu_sell, make_gpu_asell;
Factory make_csr_cached, make_gpu_coo, make_coo_segmented, make_gpu_ell, make_ell_vector,
    make_blocked_ell, make_gpu_hyb, make_gpu_jds, make_gpu_dia, make_gpu_bsr;
Factory make_dense_global, make_dense_coalesced, make_dense_constant, make_dense_shared,
    make_dense_shuffle, make_dense_split;
Factory make_cusparse_csr1, make_cusparse_csr2, make_cusparse_coo, make_cusparse_sell,
    make_cusparse_bsr, make_cublas;

namespace {

constexpr Device cpu = Device::cpu, gpu = Device::gpu;
constexpr unsigned canonical = 1, automatic = 2, repeatable = 4, baseline = 8,
                   reduced_precision = 16;

constexpr FormatEntry entry(const char* name, const char* summary, Device device,
                            unsigned properties, Factory* make, PredictionRule* predict = nullptr) {
  const auto has = [&](unsigned property) { return (properties & property) != 0; };
  return {name,           summary,         device,        has(canonical),
          has(automatic), has(repeatable), has(baseline), has(reduced_precision),
          make,           predict};
}

constexpr FormatEntry table[] = {
    entry("csr", "compressed sparse rows, one thread", cpu, canonical | repeatable, make_csr),
    entry("csr-omp", "compressed sparse rows, equal nonzeros per thread", cpu,
          canonical | automatic | repeatable, make_csr_omp, predict_csr),
    entry("coo", "coordinates, equal entries per thread, no atomics", cpu, canonical | repeatable,
          make_coo),
    entry("ell", "ELLPACK, every row padded to the longest", cpu, canonical | repeatable, make_ell),
    entry("hyb", "ELLPACK for width= entries per row, coordinates for the others", cpu,
          canonical | repeatable, make_hyb),
    entry("jds", "jagged diagonals, rows sorted by length", cpu, canonical | repeatable, make_jds),
    entry("sell", "sliced ELLPACK: c= rows per slice, sorted by length within sigma= rows", cpu,
          canonical | automatic | repeatable, make_sell, predict_sell_8),
    entry("asell",
          "sliced ELLPACK: the shortest index code for each slice, coded values (codes=on)", cpu,
          canonical | automatic | repeatable, make_asell, predict_asell),
    entry("dia", "diagonals, without indices", cpu, automatic | repeatable, make_dia, predict_dia),
    entry("bsr",
          "blocks of b= x b=, one index per block (default: the blocks of the source, or measured)",
          cpu, automatic | repeatable, make_bsr, predict_bsr),
    entry("dense", "all columns of every row, without indices", cpu, automatic | repeatable,
          make_dense, predict_dense),
    entry("csr-scalar", "compressed sparse rows, one thread per row", gpu,
          canonical | automatic | repeatable, ROWHALO_GPU(make_csr_scalar), predict_csr_scalar),
    entry("csr-vector", "compressed sparse rows, 2, 4, 8, 16 or 32 threads per row (threads=)", gpu,
          automatic | repeatable | reduced_precision, ROWHALO_GPU(make_csr_vector),
          predict_csr_vector),
    entry("csr-balanced",
          "compressed sparse rows, equal entries per lane, x of hubs= columns in shared memory",
          gpu, automatic | repeatable | reduced_precision, ROWHALO_GPU(make_csr_balanced),
          predict_csr_balanced),
    entry("csr-packed", "for small matrices: whole rows packed into thread blocks", gpu,
          automatic | repeatable | reduced_precision, ROWHALO_GPU(make_csr_packed),
          predict_csr_packed),
    entry("csr-panels", "for few long rows: x of panels of columns in shared memory", gpu,
          automatic | repeatable | reduced_precision, ROWHALO_GPU(make_csr_panels),
          predict_csr_panels),
    entry("csr-binned",
          "for scattered columns: products by panels of columns, sums by bins of rows", gpu,
          automatic | repeatable | reduced_precision, ROWHALO_GPU(make_csr_binned),
          predict_csr_binned),
    entry("csr-cached", "one thread per row, window= entries of x in shared memory", gpu,
          canonical | repeatable, ROWHALO_GPU(make_csr_cached)),
    entry("coo", "coordinates, one thread per entry, sums by atomics", gpu, 0,
          ROWHALO_GPU(make_gpu_coo)),
    entry("coo-segmented", "coordinates, segmented sums without atomics", gpu, repeatable,
          ROWHALO_GPU(make_coo_segmented)),
    entry("ell", "ELLPACK: every row as long as the longest", gpu,
          canonical | automatic | repeatable, ROWHALO_GPU(make_gpu_ell), predict_ell),
    entry("ell-vector",
          "ELLPACK for tiny matrices: 1, 2, 4, 8, 16 or 32 threads per row (threads=)", gpu,
          automatic | repeatable | reduced_precision, ROWHALO_GPU(make_ell_vector),
          predict_ell_vector),
    entry("blocked-ell", "ELLPACK of blocks of b= rows and columns", gpu, canonical | repeatable,
          ROWHALO_GPU(make_blocked_ell)),
    entry("hyb", "the first width= entries of each row in ELLPACK, the others as coordinates", gpu,
          repeatable, ROWHALO_GPU(make_gpu_hyb)),
    entry("jds", "jagged diagonals: rows sorted by length, no padding", gpu, canonical | repeatable,
          ROWHALO_GPU(make_gpu_jds)),
    entry("dia", "diagonals, with one bit per stored entry", gpu, automatic | repeatable,
          ROWHALO_GPU(make_gpu_dia), predict_dia),
    entry("bsr",
          "sliced blocks of b= 2 to 8 rows and columns (default: the blocks of the source, or "
          "measured)",
          gpu, canonical | automatic | repeatable | reduced_precision, ROWHALO_GPU(make_gpu_bsr),
          predict_gpu_bsr),
    entry("sell", "sliced ELLPACK: 32 rows per slice, sorted by length within sigma= rows", gpu,
          canonical | automatic | repeatable | reduced_precision, ROWHALO_GPU(make_gpu_sell),
          predict_sell_32),
    entry("asell",
          "sliced ELLPACK: indices of 0, 8, 16 or 32 bits, chosen per slice; coded values (codes=)",
          gpu, canonical | automatic | repeatable | reduced_precision, ROWHALO_GPU(make_gpu_asell),
          predict_asell),
    entry("dense-global", "dense, stored by rows, one thread per row", gpu, canonical | repeatable,
          ROWHALO_GPU(make_dense_global)),
    entry("dense-coalesced", "dense, stored by columns, one thread per row", gpu,
          canonical | repeatable, ROWHALO_GPU(make_dense_coalesced)),
    entry("dense-constant", "dense, stored by columns, x in constant memory", gpu,
          canonical | repeatable, ROWHALO_GPU(make_dense_constant)),
    entry("dense-shared", "dense, stored by columns, x in shared memory", gpu,
          canonical | repeatable, ROWHALO_GPU(make_dense_shared)),
    entry("dense-shuffle", "dense, stored by columns, x in registers, passed on by warp shuffles",
          gpu, canonical | repeatable, ROWHALO_GPU(make_dense_shuffle)),
    entry("dense-split", "dense, threads= 32, 128 or 256 threads for rows= 1, 2 or 4 rows", gpu,
          automatic | repeatable | reduced_precision, ROWHALO_GPU(make_dense_split), predict_dense),
    entry("cusparse-csr1", "cuSPARSE, CSR, algorithm 1", gpu, baseline,
          ROWHALO_GPU(make_cusparse_csr1)),
    entry("cusparse-csr2", "cuSPARSE, CSR, algorithm 2", gpu, baseline | repeatable,
          ROWHALO_GPU(make_cusparse_csr2)),
    entry("cusparse-coo", "cuSPARSE, coordinates", gpu, baseline, ROWHALO_GPU(make_cusparse_coo)),
    entry("cusparse-sell", "cuSPARSE, sliced ELLPACK, c= rows per slice", gpu,
          baseline | repeatable, ROWHALO_GPU(make_cusparse_sell)),
    entry("cusparse-bsr", "cuSPARSE, blocks of b= rows and columns", gpu, baseline | repeatable,
          ROWHALO_GPU(make_cusparse_bsr)),
    entry("cublas", "cuBLAS gemv on the dense matrix, layout= columns or rows", gpu,
          baseline | repeatable, ROWHALO_GPU(make_cublas)),
};

}  // namespace

std::span<const FormatEntry> formats() {
  return table;
}

std::string unusable_reason(const FormatEntry& entry) {
  if (entry.device == cpu) return "";
  if (!built_with_cuda()) return "built without CUDA; configure with -D ROWHALO_WITH_CUDA=ON";
  return device_count() > 0 ? "" : "no CUDA device on this machine";
}

bool takes(const FormatEntry& entry, Precision precision) {
  return entry.reduced_precision || precision == Precision::fp64 || precision == Precision::fp32;
}

std::unique_ptr<SpmvKernel> make_kernel(const FormatEntry& entry, const CsrView& matrix,
                                        RowListView rows, const Spec& options) {
  if (!takes(entry, matrix.precision)) {
    std::vector<std::string> names;
    for (const FormatEntry& other : table) {
      if (other.device == entry.device && takes(other, matrix.precision)) {
        names.push_back(other.name);
      }
    }
    const std::string remedy = names.empty() ? "use a GPU" : "use " + listed(names);
    options.fail(fmt::format("not in precision {}, only in fp64 and fp32; {}",
                             name_of(matrix.precision), remedy));
  }
  return entry.make(matrix, rows, options);
}

const FormatEntry& find_format(std::string_view name, Device device) {
  std::vector<std::string> names;
  for (const FormatEntry& entry : table) {
    if (entry.device != device) continue;
    names.push_back(entry.name);
    if (entry.name != name) continue;
    const std::string reason = unusable_reason(entry);
    if (!reason.empty()) {
      throw InputError(fmt::format("format '{}' for device {}: {}", name, name_of(device), reason));
    }
    return entry;
  }
  throw InputError(fmt::format("unknown format '{}' for device {}; use {}", name, name_of(device),
                               listed(names)));
}

}  // namespace rowhalo
