// SPDX-License-Identifier: BSD-3-Clause
//
// The choice among the kinds of vector files (vector_file.hpp).
#include "io/vector_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "io/collective.hpp"
#include "io/file_kind.hpp"
#include "io/sources.hpp"
#include "partition/base/regular_file.hpp"
#include "partition/base/text.hpp"
#include "partition/matrix/migrate.hpp"
#include "partition/matrix/transpose.hpp"

namespace rowhalo {

namespace {

/// NAME of FOLDER/NAME.tar.gz.
std::string archive_name(const std::string& file) {
  const std::string name = file.substr(file.rfind('/') + 1);
  return name.substr(0, name.find('.', 1));
}

/// Collective. The kind of the file, which rank 0 looks at; `what`: how messages name it.
const SourceEntry& find_reader(const std::string& name, const std::string& what, const Comm& comm) {
  return sources()[found_by_root(comm, [&] {
    const FileLocation location = file_location(name);
    const SourceEntry& entry = source_of_file(location.file, what, FileUse::vector);
    if (entry.kind == FileKind::tar && location.member.empty()) {
      const std::string member = archive_name(location.file) + "_b.mtx";
      throw InputError(fmt::format("{}: is an archive; name a member of it: {}", what,
                                   shell_quoted(location.file + ":" + member)));
    }
    return &entry - sources().data();
  })];
}

/// Collective. The vector of `size` entries that the matrix in `name` is; this rank's even share.
/// What the matrix does not store is 0.
std::vector<double> vector_of_matrix(const SourceEntry& source, const std::string& name,
                                     GlobalIndex size, const Comm& comm, Progress& progress) {
  const std::int64_t column = file_location(name).column;
  const Spec spec = Spec::whole(name, "");
  const MatrixInfo info = source.functions->outline(spec, comm).info;
  agree(comm, [&] { check_vector_shape(name, name, info.rows, info.columns, column, size); });
  DistributedCsr matrix = source.functions->load(spec, comm, progress);
  if (info.rows == 1 && info.columns != 1 && column == 0) {
    matrix = transposed(comm, std::move(matrix), progress);
  } else {
    matrix.info.block = 1;
    matrix = evenly_distributed(comm, std::move(matrix), progress);
  }
  std::vector<double> share(matrix.local_rows(), 0.0);
  for (GlobalIndex row = 0; row < matrix.local_rows(); ++row) {
    for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      if (matrix.columns[k] == std::max<std::int64_t>(column, 1) - 1) share[row] = matrix.values[k];
    }
  }
  return share;
}

}  // namespace

void check_vector_shape(const std::string& place, const std::string& name, GlobalIndex rows,
                        GlobalIndex columns, std::int64_t column, GlobalIndex size) {
  const bool is_row = rows == 1 && columns != 1 && column == 0;
  if (column < 0) {
    throw InputError(place + ": the column is no number of at least 1; write e.g. :column=1");
  }
  if (column > columns) {
    throw InputError(
        fmt::format("{}: has {} column{}, so that there is no column {}; columns are "
                    "counted from 1",
                    place, columns, columns == 1 ? "" : "s", column));
  }
  if (!is_row && columns != 1 && column == 0) {
    throw InputError(
        fmt::format("{}: is {} x {}, and no vector; choose one of its {} columns, "
                    "counted from 1: {}",
                    place, rows, columns, columns, shell_quoted(name + ":column=1")));
  }
  const GlobalIndex entries = is_row ? columns : rows;
  if (entries == size) return;
  throw InputError(
      fmt::format("{}: the vector has {} entries where {} are needed", place, entries, size));
}

bool names_vector_file(const std::string& text) {
  constexpr std::string_view made[] = {"random", "ones", "zeros", "index", "log", "manufactured"};
  if (text.find('/') != std::string::npos) return true;
  const bool is_made = std::ranges::find(made, text.substr(0, text.find(':'))) != std::end(made);
  return !is_made && names_file(text);
}

std::vector<double> read_vector(const std::string& name, GlobalIndex size, const Comm& comm,
                                Progress& progress) {
  const SourceEntry& entry = find_reader(name, name, comm);
  if (entry.vectors != nullptr && entry.vectors->read != nullptr) {
    if (auto share = entry.vectors->read(name, size, comm, progress)) return std::move(*share);
  }
  return vector_of_matrix(entry, name, size, comm, progress);
}

void write_vector(const std::string& name, const std::vector<double>& share, Precision precision,
                  const Comm& comm, Progress& progress) {
  const SourceEntry* entry = nullptr;
  agree(comm, [&] { entry = &source_to_write(name, "OUT", FileUse::vector); });
  progress.phase("write");
  entry->vectors->write(name, share, precision, comm, progress);
}

void check_vector_source(const std::string& name, const std::string& option, const Comm& comm) {
  agree(comm, [&] {
    if (comm.rank == 0) check_regular_file(file_location(name).file, option);
  });
  find_reader(name, option + " " + name, comm);
}

}  // namespace rowhalo
