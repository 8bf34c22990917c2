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
#include "io/file_location.hpp"
#include "io/sources.hpp"
#include "io/vector_of_matrix.hpp"
#include "partition/base/regular_file.hpp"
#include "partition/base/text.hpp"

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

}  // namespace

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
