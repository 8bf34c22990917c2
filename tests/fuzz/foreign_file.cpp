// SPDX-License-Identifier: BSD-3-Clause
//
// Files of other programs: what they are, and what is in .npz files and archives. Input: the bytes
// of a file. Whatever it is, it is refused with one line, or a small matrix is read whose columns
// ascend inside it.
#include <zlib.h>

#include "io/matrix_market/text_pieces.hpp"
#include "io/npz/reader.hpp"
#include "io/sources.hpp"
#include "io/vector_file.hpp"
#include "partition/base/text.hpp"
#include "tests/fuzz/memory_file.hpp"

using namespace rowhalo;

namespace {

/// What is said of a file that is refused, which may hold names of any bytes.
template <class Call>
void refused_or(Call call) {
  const auto check = [](const std::exception& error) {
    require(*error.what() != '\0', "a refusal says why");
    require(one_line(error.what()).find('\n') == std::string::npos, "on one line");
  };
  try {
    call();
  } catch (const InputError& error) {
    check(error);
  } catch (const AgreedError& error) {
    check(error);
  }
}

void check_rows(const DistributedCsr& matrix) {
  require(matrix.local_rows() == matrix.info.rows, "all rows are there");
  for (GlobalIndex row = 0; row < matrix.local_rows(); ++row) {
    GlobalIndex last = -1;
    for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      require(matrix.columns[k] > last, "columns ascend");
      last = matrix.columns[k];
    }
    require(last < matrix.info.columns, "the column is of the matrix");
  }
}

void read(const std::string& path) {
  const MatrixOutline outline = outline_matrix(path, 0, alone());
  require(outline.info.rows >= 0 && outline.info.columns >= 0 && outline.nonzeros >= 0,
          "no negative sizes");
  constexpr GlobalIndex most = 100'000;
  if (outline.info.rows > most || outline.info.columns > most) return;
  Progress progress;
  check_rows(load_matrix(path, 0, alone(), progress));
  read_vector(path + ":column=1", outline.info.rows, alone(), progress);
}

void walk_archive(const std::string& path) {
  for (const char* member : {"", "a", "a/a_b.mtx"}) {
    const gzFile archive = gzopen(path.c_str(), "rb");
    refused_or(
        [&] { require(find_tar_member(archive, path, member) >= 0, "a member has a size"); });
    gzclose(archive);
  }
}

}  // namespace

void run_input(std::string_view input) {
  const MemoryFile file(input);
  refused_or([&] { read(file.path()); });
  refused_or([&] {
    const NpzOutline outline = examine_npz(file.path());
    require(outline.rows >= 0 && outline.columns >= 0 && outline.nonzeros >= 0,
            "no negative sizes");
  });
  walk_archive(file.path());
}
