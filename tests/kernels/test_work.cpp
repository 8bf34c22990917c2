// SPDX-License-Identifier: BSD-3-Clause
//
// work() of each format against counts made by hand on
//   row 0: columns 0 2   row 1: none   row 2: columns 1 2 5   row 3: column 0   row 4: columns 2 5
// 8 nonzeros, 5 rows, 6 columns of which 0, 1, 2 and 5 are used.
#include "kernels/work.hpp"

#include <omp.h>

#include "tests/catch.hpp"
#include "tests/kernels/battery.hpp"

using namespace rowhalo;
using namespace rowhalo::battery;

namespace {

const Matrix& small() {
  static const Matrix matrix = pattern("small", 5, 6, [](LocalIndex i, LocalIndex j) {
    constexpr const char* rows[] = {"x.x...", "......", ".xx..x", "x.....", "..x..x"};
    return rows[i][j] == 'x';
  });
  return matrix;
}

KernelWork work_of(const std::string& spec, const CsrView& matrix, RowListView rows) {
  omp_set_num_threads(1);
  const KernelWork work = make_kernel(spec, matrix, rows)->work();
  CHECK(work.bytes == work.matrix_bytes + count_on_host(matrix, rows).vector_bytes);
  CHECK(work.stored_entries >= listed_nonzeros(matrix, rows));
  CHECK(work.setup_seconds >= 0);
  CHECK(work.setup_seconds < 10);
  return work;
}

/// Ten bytes of vectors beside 20 of the matrix, 6 flops.
class CountedKernel final : public SpmvKernel {
 public:
  explicit CountedKernel(bool several) : several_(several) {}
  bool takes_several() const override { return several_; }
  using SpmvKernel::work;
  KernelWork work() const override {
    KernelWork work;
    work.bytes = 30;
    work.matrix_bytes = 20;
    work.flops = 6;
    return work;
  }

 private:
  void multiply(const LocalProduct&, Stream) const override {}

  bool several_;
};

}  // namespace

TEST_CASE("work of several vectors") {
  const CountedKernel takes_several(true), takes_one(false);
  const SpmvKernel &once = takes_several, &each = takes_one;
  for (const SpmvKernel* kernel : {&once, &each}) {
    CHECK(kernel->work(1).bytes == 30);
    CHECK(kernel->work(1).matrix_bytes == 20);
    CHECK(kernel->work(7).flops == 42);
  }
  CHECK(once.work(7).bytes == 20 + 7 * 10);
  CHECK(once.work(7).matrix_bytes == 20);
  CHECK(each.work(7).bytes == 7 * 30);
  CHECK(each.work(7).matrix_bytes == 7 * 20);
}

TEST_CASE("work of csr") {
  const Typed<double> a(small());
  for (const char* spec : {"csr", "csr-omp"}) {
    const KernelWork work = work_of(spec, a.view(), all_rows(5));
    CHECK(work.bytes == 8 * 12 + 6 * 8 + 4 * 8 + 5 * 8);
    CHECK(work.matrix_bytes == 8 * 12 + 6 * 8);
    CHECK(work.stored_entries == 8);
    CHECK(work.flops == 16);
    CHECK(work.footprint_bytes == 2 * 8);  // one part
  }
  const Typed<float> single(small());
  CHECK(work_of("csr", single.view(), all_rows(5)).bytes == 8 * 8 + 6 * 8 + 4 * 4 + 5 * 4);
}

TEST_CASE("work of csr on listed rows") {
  const Typed<double> a(small());
  const std::vector<LocalIndex> rows{0, 2, 3};
  const RowList list = make_row_list(rows);
  const KernelWork work = work_of("csr", a.view(), list.view());
  // 6 nonzeros, offsets 0 1 2 3 4, one group of 3 rows that are not consecutive.
  CHECK(work.bytes == 6 * 12 + 5 * 8 + 4 * 4 + 4 * 8 + 3 * 8);
  CHECK(work.flops == 12);
  const RowList none = make_row_list({});
  CHECK(work_of("csr", a.view(), none.view()).bytes == 0);
  const std::vector<LocalIndex> last_rows{3, 4};
  const RowList last = make_row_list(last_rows);
  CHECK(work_of("csr", a.view(), last.view()).bytes == 3 * 12 + 3 * 8 + 4 + 3 * 8 + 2 * 8);
}

TEST_CASE("work of sell") {
  const Typed<double> a(small());
  // Slices of rows 01, 23, 4 with 2 * 2, 2 * 3 and 1 * 2 slots; four begins, three steps, three
  // rows.
  const KernelWork natural = work_of("sell:c=2,sigma=1", a.view(), all_rows(5));
  CHECK(natural.bytes == 12 * 12 + 4 * 8 + 3 * 4 + 3 * 4 + 4 * 8 + 5 * 8);
  CHECK(natural.matrix_bytes == natural.bytes - 4 * 8 - 5 * 8);
  CHECK(natural.stored_entries == 12);
  CHECK(natural.flops == 16);
  CHECK(natural.footprint_bytes == 12 * 12 + 4 * 8 + 3 * 4 + 3 * 4 + 2 * 8);
  // Sorted: slices of rows 20, 43, 1 with 6, 4 and 0 slots; the first two are scattered.
  const KernelWork sorted = work_of("sell:c=2,sigma=5", a.view(), all_rows(5));
  CHECK(sorted.bytes == 10 * 12 + 4 * 8 + 3 * 4 + 3 * 4 + 4 * 4 + 4 * 8 + 5 * 8);
  const Typed<float> single(small());
  CHECK(work_of("sell:c=2", single.view(), all_rows(5)).bytes ==
        12 * 8 + 4 * 8 + 3 * 4 + 3 * 4 + 4 * 4 + 5 * 4);
}

TEST_CASE("work of coo, ell, hyb and jds") {
  const Typed<double> a(small());
  constexpr std::int64_t vectors = 4 * 8 + 5 * 8;
  // One chunk of rows: its full columns, where its list begins, and the end.
  constexpr std::int64_t chunk = 4 + 2 * 8;
  const KernelWork coo = work_of("coo", a.view(), all_rows(5));
  CHECK(coo.bytes == 8 * 16 + chunk + vectors);
  CHECK(coo.stored_entries == 8);
  CHECK(coo.footprint_bytes == coo.matrix_bytes + 2 * 8);  // one part
  const KernelWork ell = work_of("ell", a.view(), all_rows(5));
  CHECK(ell.bytes == 5 * 3 * 12 + chunk + vectors);
  CHECK(ell.stored_entries == 15);
  CHECK(ell.flops == 16);
  // Two columns; only row 2 has a third entry.
  const KernelWork hyb = work_of("hyb:width=2", a.view(), all_rows(5));
  CHECK(hyb.bytes == 5 * 2 * 12 + 1 * 16 + chunk + vectors);
  CHECK(hyb.stored_entries == 11);
  // Diagonals of 4, 3 and 1 entries.
  const KernelWork jds = work_of("jds", a.view(), all_rows(5));
  CHECK(jds.bytes == 8 * 12 + 4 * 8 + 5 * 4 + vectors);
  CHECK(jds.stored_entries == 8);
  const Typed<float> single(small());
  CHECK(work_of("ell", single.view(), all_rows(5)).matrix_bytes == 5 * 3 * 8 + chunk);
  CHECK(work_of("coo", single.view(), all_rows(5)).matrix_bytes == 8 * 12 + chunk);
}

TEST_CASE("work of vbl") {
  const Typed<double> a(small());
  // Columns 0 and 2; none; 1 2 and 5; 0; 2 and 5: one run of two and six of one.
  const KernelWork work = work_of("vbl", a.view(), all_rows(5));
  CHECK(work.bytes == 8 * 8 + 7 * 4 + 6 * 8 + 4 * 8 + 5 * 8);
  CHECK(work.stored_entries == 8);
  CHECK(work.footprint_bytes == (7 + 32) * 4 + 6 * 8 + 3 * 8);  // 32 more indices are looked at
  CHECK(work.parameters == "1.14 entries per index");
  const std::vector<LocalIndex> rows{0, 2, 3};
  const RowList list = make_row_list(rows);
  const KernelWork listed = work_of("vbl", a.view(), list.view());
  CHECK(listed.matrix_bytes == 6 * 8 + 5 * 4 + 4 * 8 + 4 * 4);
  CHECK(listed.footprint_bytes == (5 + 32) * 4 + 4 * 8 + 6 * 8 + 3 * 8);  // values are copied
}

TEST_CASE("work of dia, bsr and dense") {
  const Typed<double> a(small());
  constexpr std::int64_t vectors = 4 * 8 + 5 * 8;
  // column - row is 0 2, none, -1 0 3, -3, -2 1: 7 diagonals, each with a mask for the one strip.
  const KernelWork dia = work_of("dia", a.view(), all_rows(5));
  CHECK(dia.bytes == 7 * 5 * 8 + 7 * 4 + 7 * 4 + vectors);
  CHECK(dia.stored_entries == 35);
  CHECK(dia.footprint_bytes == dia.matrix_bytes + 2 * 8);
  // Rows 0 1: columns 0 and 2, two blocks; rows 2 3: 0 1, 2 and 5; row 4: 2 and 5. None is full.
  const KernelWork bsr = work_of("bsr:b=2", a.view(), all_rows(5));
  CHECK(bsr.bytes == 7 * 4 * 8 + 7 * 4 + 7 * 8 + 4 * 16 + vectors);
  CHECK(bsr.stored_entries == 28);
  const KernelWork dense = work_of("dense", a.view(), all_rows(5));
  CHECK(dense.bytes == 30 * 8 + 5 * 4 + vectors);
  CHECK(dense.stored_entries == 30);
  CHECK(dense.flops == 16);
  // A list of rows is read as well.
  const std::vector<LocalIndex> rows{0, 2, 3};
  const RowList list = make_row_list(rows);
  CHECK(work_of("dense", a.view(), list.view()).matrix_bytes == 18 * 8 + 3 * 4 + 4 * 4);
}

TEST_CASE("bytes of row lists") {
  std::vector<LocalIndex> rows;
  for (LocalIndex i = 0; i < 32; ++i) rows.push_back(i);  // consecutive
  for (LocalIndex i = 0; i < 32; ++i) rows.push_back(40 + 2 * i);
  rows.push_back(200);
  const RowList list = make_row_list(rows);
  const std::vector<Offset> offsets(1001, 0);
  const CsrView empty{.rows = 1000, .columns = 1, .offsets = offsets.data()};
  CHECK(count_on_host(empty, list.view()).row_list_bytes == 4 * (3 + 32));
  CHECK(count_on_host(empty, list.view()).offsets_read == 33 + 32 * 2 + 2);
  CHECK(count_on_host(empty, all_rows(1000)).row_list_bytes == 0);
  CHECK(count_on_host(empty, all_rows(1000)).offsets_read == 1001);
  CHECK(count_on_host(empty, all_rows(0)).offsets_read == 0);
}
