// SPDX-License-Identifier: BSD-3-Clause
//
// HDF5 files that all ranks have open, or one after the other (shared.hpp).
#include "io/hdf5/shared.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "io/input_file.hpp"

namespace rowhalo {

namespace {

unsigned flags_of(Hdf5Access access) {
  return access == Hdf5Access::read ? H5F_ACC_RDONLY : H5F_ACC_RDWR;
}

[[noreturn]] void fail_to_open(const std::string& place, Hdf5Access access) {
  if (access == Hdf5Access::read) hdf5_fail(place, "cannot be opened", ExitCode::usage);
  hdf5_fail(place, "cannot be written", ExitCode::run_time);
}

#ifdef H5_HAVE_PARALLEL
constexpr bool parallel_library = true;

/// Opening and closing are collective inside HDF5, so neither stands in an agree().
void all_at_once(const std::string& path, const std::string& place, Hdf5Access access,
                 const Comm& comm, Progress& progress,
                 const std::function<void(hid_t file)>& work) {
  // What makes one rank fail alone is found here, where it leaves nobody waiting.
  agree(comm, [&] { InputFile{path}; });
  const Hdf5Properties driver(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_fapl_mpio(driver.get(), comm.handle, MPI_INFO_NULL);
  Hdf5File file;
  {
    LibraryCall call(progress);
    file = Hdf5File(H5Fopen(path.c_str(), flags_of(access), driver.get()));
  }
  const std::string cause = file ? "" : hdf5_error();
  const std::int64_t opened = sum_over_ranks(comm, file ? 1 : 0);
  if (opened > 0 && opened < comm.size) {  // nobody could close it
    throw std::runtime_error(fmt::format("{}: only {} of {} ranks could open it{}{}", place, opened,
                                         comm.size, cause.empty() ? "" : ": ", cause));
  }
  agree(comm, [&] {
    if (!file) fail_to_open(place, access);
  });
  const std::optional<AgreedError> error = agreed_error(comm, [&] { work(file.get()); });
  LibraryCall call(progress);
  const bool closed = H5Fclose(file.take()) >= 0;
  if (error) throw *error;
  agree(comm, [&] {
    if (!closed) hdf5_fail(place, "closing failed", ExitCode::run_time);
  });
}

#else
constexpr bool parallel_library = false;

void all_at_once(const std::string&, const std::string&, Hdf5Access, const Comm&, Progress&,
                 const std::function<void(hid_t file)>&) {}
#endif

void in_turn(const std::string& path, const std::string& place, Hdf5Access access, const Comm& comm,
             Progress& progress, const std::function<void(hid_t file)>& work) {
  static bool said = false;
  if (comm.size > 1 && comm.rank == 0 && !said) {
    std::fputs("rowhalo: note: this HDF5 is not parallel; ranks take turns at .h5 files\n", stderr);
    said = true;
  }
  for (int turn = 0; turn < comm.size; ++turn) {
    LibraryCall waiting(progress);
    agree(comm, [&] {
      if (turn != comm.rank) return;
      static_cast<void>(InputFile{path});  // throws where it cannot be read
      Hdf5File file(H5Fopen(path.c_str(), flags_of(access), H5P_DEFAULT));
      if (!file) fail_to_open(place, access);
      work(file.get());
      Hdf5Check{place, "closing failed"}(H5Fclose(file.take()));
    });
  }
}

}  // namespace

Hdf5File open_hdf5(const std::string& path, const std::string& place) {
  static_cast<void>(InputFile{path});  // throws where it cannot be read
  if (H5Fis_hdf5(path.c_str()) <= 0) {
    throw InputError(place + ": is not an HDF5 file; name one, or give it its own suffix");
  }
  Hdf5File file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  if (!file) fail_to_open(place, Hdf5Access::read);
  return file;
}

void with_shared_hdf5(const std::string& path, const std::string& place, Hdf5Access access,
                      const Comm& comm, Progress& progress,
                      const std::function<void(hid_t file)>& work) {
  const QuietHdf5 quiet;
  const bool at_once = parallel_library && comm.size > 1;
  (at_once ? all_at_once : in_turn)(path, place, access, comm, progress, work);
}

}  // namespace rowhalo
