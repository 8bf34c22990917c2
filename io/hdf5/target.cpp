// SPDX-License-Identifier: BSD-3-Clause
//
// The beginning of HDF5 files that are written (target.hpp).
#include "io/hdf5/target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "io/collective.hpp"
#include "io/file_kind.hpp"
#include "io/hdf5/outline.hpp"
#include "io/hdf5/shared.hpp"
#include "io/input_file.hpp"
#include "io/output_file.hpp"

namespace rowhalo {

namespace {

/// Whether the target is an object in a file that exists.
bool adds_to_file(const FileLocation& location) {
  std::error_code ignored;
  return location.object.find_first_not_of('/') != std::string::npos &&
         std::filesystem::is_regular_file(location.file, ignored);
}

/// Of the copy of `path` in `file`.
std::int64_t copy_into(const TemporaryFile& file, const std::string& path, Progress& progress) {
  constexpr std::int64_t piece_bytes = 4 << 20;
  const InputFile from(path);
  FileDescriptor to = open_for_writing(file.name(), path);
  std::vector<char> buffer(std::min(piece_bytes, from.bytes()));
  for (std::int64_t done = 0; done < from.bytes(); done += piece_bytes) {
    const std::int64_t size = std::min(piece_bytes, from.bytes() - done);
    from.read(done, buffer.data(), size);
    write_at(to, done, {buffer.data(), static_cast<std::size_t>(size)}, path);
    progress.tick();
  }
  close_written(std::move(to), path);
  return from.bytes();
}

/// Makes `file` an HDF5 file in which `bytes` of data can be written: empty or the copy.
void begin_hdf5(const TemporaryFile& file, const FileLocation& location, std::int64_t bytes,
                Progress& progress) {
  constexpr std::int64_t headers_bytes = 64 << 10;  // of groups, datasets and attributes
  std::int64_t begun = 0;
  if (adds_to_file(location)) {
    begun = copy_into(file, location.file, progress);
  } else {
    file.write(hdf5_image(location.file, [](hid_t) {}));
  }
  file.reserve(begun + headers_bytes + bytes);
}

/// The group of the dataset `path` if it holds a matrix, else nothing.
std::string group_of_matrix(hid_t file, const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string group = slash == std::string::npos || slash == 0 ? "/" : path.substr(0, slash);
  const std::string name = path.substr(slash == std::string::npos ? 0 : slash + 1);
  const bool part_of_it = name == "indptr" || name == "indices" || name == "data";
  return part_of_it && is_hdf5_matrix(file, group) ? group : "";
}

}  // namespace

void check_hdf5_target(const std::string& name, const std::string& option, FileUse use) {
  const QuietHdf5 quiet;
  const FileLocation location = file_location(name);
  const auto refuse = [&](const std::string& what) {
    throw InputError(fmt::format("{} {}: {}", option, name, what));
  };
  if (location.object.ends_with('/')) {
    std::error_code ignored;
    if (use == FileUse::vector) {
      refuse(fmt::format("names no dataset; name one, as in {}:/y", location.file));
    } else if (!adds_to_file(location) && std::filesystem::exists(location.file, ignored)) {
      refuse("exists already; name another group");
    }
  }
  if (!adds_to_file(location)) return;
  const Hdf5File file = open_hdf5(location.file, location.file);
  std::size_t end = location.object.find_first_not_of('/');
  while (end != std::string::npos) {
    end = location.object.find('/', end);
    const std::string path = location.object.substr(0, end);
    if (!hdf5_object_exists(file.get(), path)) return;
    const LinksInside links(H5P_GROUP_ACCESS);
    const Hdf5AnyObject object(H5Oopen(file.get(), path.c_str(), links.get()));
    links.check(fmt::format("{} {}: '{}'", option, name, path));
    const H5I_type_t type = H5Iget_type(object.get());
    if (end != std::string::npos) end = location.object.find_first_not_of('/', end);
    if (end != std::string::npos) {
      if (type != H5I_GROUP) refuse(fmt::format("'{}' is no group; name another place", path));
    } else if (use == FileUse::matrix) {
      refuse("exists already; name another group");
    } else if (type != H5I_DATASET) {
      refuse("exists already and is no dataset; name another");
    } else if (const std::string group = group_of_matrix(file.get(), path); !group.empty()) {
      refuse(
          fmt::format("is part of the matrix {}:{}; name another dataset", location.file, group));
    }
  }
}

void write_shared_hdf5(const std::string& name, std::int64_t bytes, const Comm& comm,
                       Progress& progress, const std::function<void(hid_t file)>& add,
                       const std::function<void(hid_t file)>& fill) {
  const FileLocation location = file_location(name);
  std::optional<TemporaryFile> temporary;
  std::string path;
  {
    const QuietHdf5 quiet;
    LibraryCall copying(progress);
    path = found_by_root(comm, [&] {
      const std::string begun = temporary.emplace(location.file).name();
      begin_hdf5(*temporary, location, bytes, progress);
      const Hdf5Check check{name, "cannot be written"};
      Hdf5File file(check(H5Fopen(begun.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)));
      add(file.get());
      check(H5Fclose(file.take()));
      return begun;
    });
  }
  with_shared_hdf5(path, name, Hdf5Access::write, comm, progress, fill);
  agree(comm, [&] {
    if (temporary) temporary->rename_to_path();
  });
}

}  // namespace rowhalo
