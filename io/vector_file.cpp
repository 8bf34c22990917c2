// SPDX-License-Identifier: BSD-3-Clause
//
// The kinds of vector files, and the choice among them (vector_file.hpp).
#include "io/vector_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "io/collective.hpp"
#include "io/file_location.hpp"
#include "io/hdf5/target.hpp"
#include "io/hdf5/unusable.hpp"
#include "io/output_file.hpp"
#include "io/vector_kinds.hpp"
#include "io/vector_of_matrix.hpp"
#include "partition/base/regular_file.hpp"
#include "partition/base/spec.hpp"
#include "partition/base/text.hpp"

namespace rowhalo {

namespace {

/// NAME of FOLDER/NAME.tar.gz.
std::string archive_name(const std::string& file) {
  const std::string name = file.substr(file.rfind('/') + 1);
  return name.substr(0, name.find('.', 1));
}

const VectorKind kinds[]{
    {FileKind::matrix_market, "FILE.mtx", nullptr, nullptr, write_matrix_market_vector},
    {FileKind::matrix_market_gz, "FILE.mtx.gz", nullptr, nullptr, nullptr},
    {FileKind::tar, "FILE.tar.gz:MEMBER", nullptr, nullptr, nullptr},
    {FileKind::npz, "FILE.npz", nullptr, nullptr, nullptr},
    {FileKind::hdf5, "FILE.h5[:/dataset]", hdf5_unusable, read_hdf5_vector, write_hdf5_vector},
    {FileKind::petsc, "FILE.petsc", nullptr, read_petsc_vector, write_petsc_vector},
};

std::string listed_kinds(bool written) {
  std::vector<std::string> names;
  for (const VectorKind& kind : kinds) {
    if (!written || kind.write != nullptr) names.emplace_back(kind.usage);
  }
  return listed(names);
}

const VectorKind* find_kind(FileKind wanted) {
  for (const VectorKind& kind : kinds) {
    if (kind.kind == wanted) return &kind;
  }
  return nullptr;
}

/// Collective. The kind of the file, which rank 0 looks at; `what`: how messages name it.
const VectorKind& find_reader(const std::string& name, const std::string& what, const Comm& comm) {
  return kinds[found_by_root(comm, [&] {
    const FileLocation location = file_location(name);
    const FileKind file = kind_of_file(location.file, what);
    const VectorKind* kind = find_kind(file);
    if (kind == nullptr) {
      throw InputError(
          fmt::format("{}: vectors are read from {}; convert it", what, listed_kinds(false)));
    }
    if (kind->unusable != nullptr) throw InputError(what + ": " + kind->unusable);
    if (file == FileKind::tar && location.member.empty()) {
      const std::string member = archive_name(location.file) + "_b.mtx";
      throw InputError(fmt::format("{}: is an archive; name a member of it: {}", what,
                                   shell_quoted(location.file + ":" + member)));
    }
    return kind - kinds;
  })];
}

const VectorKind& find_vector_writer(const std::string& name, const std::string& option) {
  const Spec spec = Spec::whole(name, option);
  const FileLocation location = file_location(name);
  const VectorKind* kind = find_kind(kind_by_suffix(location.file));
  if (kind == nullptr || kind->write == nullptr || !has_writable_suffix(location.file)) {
    spec.fail("the kind of file is not known by its name; use " + listed_kinds(true));
  }
  if (kind->unusable != nullptr) spec.fail(kind->unusable);
  if (location.column != 0) spec.fail("a column cannot be written; leave out :column");
  return *kind;
}

}  // namespace

std::span<const VectorKind> vector_kinds() {
  return kinds;
}

bool names_vector_file(const std::string& text) {
  if (text.find('/') != std::string::npos) return true;
  const std::string_view name = std::string_view(text).substr(0, text.find(':'));
  if (std::find(std::begin(made_vectors), std::end(made_vectors), name) != std::end(made_vectors)) {
    return false;
  }
  const std::string file = file_location(text).file;
  return kind_by_suffix(file) != FileKind::none || is_existing_file(file);
}

std::vector<double> read_vector(const std::string& name, GlobalIndex size, const Comm& comm,
                                Progress& progress) {
  const VectorKind& kind = find_reader(name, name, comm);
  if (kind.read != nullptr) {
    if (auto share = kind.read(name, size, comm, progress)) return std::move(*share);
  }
  return vector_of_matrix(*source_of_kind(kind.kind), name, size, comm, progress);
}

void write_vector(const std::string& name, const std::vector<double>& share, Precision precision,
                  const Comm& comm, Progress& progress) {
  const VectorKind* kind = nullptr;
  agree(comm, [&] { kind = &find_vector_writer(name, "OUT"); });
  progress.phase("write");
  kind->write(name, share, precision, comm, progress);
}

void check_vector_source(const std::string& name, const std::string& option, const Comm& comm) {
  agree(comm, [&] {
    if (comm.rank == 0) check_regular_file(file_location(name).file, option);
  });
  find_reader(name, option + " " + name, comm);
}

void check_vector_target(const std::string& name, const std::string& option, const Comm& comm) {
  agree(comm, [&] {
    find_vector_writer(name, option);
    if (comm.rank != 0) return;
    check_output_path(file_location(name).file, option);
    check_hdf5_target(name, option, Hdf5Object::dataset);
  });
}

}  // namespace rowhalo
