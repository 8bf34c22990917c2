// SPDX-License-Identifier: BSD-3-Clause
//
// The kinds of vector files, and the choice among them (vector_file.hpp).
#include "io/vector_file.hpp"

#include <fmt/format.h>

#include "io/hdf5/location.hpp"
#include "io/hdf5/target.hpp"
#include "io/hdf5/unusable.hpp"
#include "io/output_file.hpp"
#include "io/vector_kinds.hpp"
#include "partition/base/regular_file.hpp"
#include "partition/base/spec.hpp"

namespace rowhalo {

namespace {

constexpr VectorKind kinds[]{
    {".mtx", "FILE.mtx", nullptr, read_matrix_market_vector, write_matrix_market_vector},
    {".mtx.gz", "FILE.mtx.gz", nullptr, read_matrix_market_vector, nullptr},
    {".h5", "FILE.h5[:/dataset]", hdf5_unusable, read_hdf5_vector, write_hdf5_vector},
    {".petsc", "FILE.petsc", nullptr, read_petsc_vector, write_petsc_vector},
};

enum class Direction { read, write };

/// The kind of file that `name` is, or null; `valid` is filled with those that it could be.
const VectorKind* find_kind(const std::string& name, Direction direction,
                            std::vector<std::string>& valid) {
  for (const VectorKind& kind : kinds) {
    if (direction == Direction::write && kind.write == nullptr) continue;
    valid.push_back(kind.usage);
    if (hdf5_location(name).file.ends_with(kind.suffix)) return &kind;
  }
  return nullptr;
}

/// `what`: how messages name the file.
const VectorKind& find_reader(const std::string& name, const std::string& what) {
  std::vector<std::string> valid;
  const VectorKind* kind = find_kind(name, Direction::read, valid);
  if (kind == nullptr) {
    throw InputError(fmt::format("{}: vectors are read from {}; convert it", what, listed(valid)));
  }
  if (kind->unusable != nullptr) throw InputError(what + ": " + kind->unusable);
  return *kind;
}

const VectorKind& find_vector_writer(const std::string& name, const std::string& option) {
  const Spec spec = Spec::whole(name, option);
  std::vector<std::string> valid;
  const VectorKind* kind = find_kind(name, Direction::write, valid);
  if (kind == nullptr) {
    spec.fail("the kind of file is not known by its name; use " + listed(valid));
  }
  if (kind->unusable != nullptr) spec.fail(kind->unusable);
  return *kind;
}

}  // namespace

std::span<const VectorKind> vector_kinds() {
  return kinds;
}

bool names_vector_file(const std::string& text) {
  if (text.find('/') != std::string::npos) return true;
  for (const VectorKind& kind : kinds) {
    if (text.ends_with(kind.suffix)) return true;
  }
  return false;
}

std::vector<double> read_vector(const std::string& name, GlobalIndex size, const Comm& comm,
                                Progress& progress) {
  const VectorKind* kind = nullptr;
  agree(comm, [&] { kind = &find_reader(name, name); });
  return kind->read(name, size, comm, progress);
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
    find_reader(name, option + " " + name);
    if (comm.rank == 0) check_regular_file(hdf5_location(name).file, option);
  });
}

void check_vector_target(const std::string& name, const std::string& option, const Comm& comm) {
  agree(comm, [&] {
    find_vector_writer(name, option);
    if (comm.rank != 0) return;
    check_output_path(hdf5_location(name).file, option);
    check_hdf5_target(name, option, Hdf5Object::dataset);
  });
}

}  // namespace rowhalo
