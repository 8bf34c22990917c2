// SPDX-License-Identifier: BSD-3-Clause
//
// HDF5 ids with owners, its errors as InputError, attributes and small datasets. Local; only for
// files of a build with HDF5 (ROWHALO_HAVE_HDF5). A QuietHdf5 stands in every function that calls
// HDF5, so that its error stack is not printed; hdf5_error() gives the cause instead.
#pragma once

#include <hdf5.h>

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "partition/base/errors.hpp"
#include "partition/base/unique_handle.hpp"

namespace rowhalo {

/// HDF5 gives ids below 0 when a call fails: those are held as none.
template <herr_t (*close)(hid_t)>
struct Hdf5Traits {
  using Value = hid_t;
  static constexpr hid_t none = H5I_INVALID_HID;
  static void release(hid_t id) { close(id); }
};
using Hdf5File = UniqueHandle<Hdf5Traits<H5Fclose>>;
using Hdf5Group = UniqueHandle<Hdf5Traits<H5Gclose>>;
using Hdf5Dataset = UniqueHandle<Hdf5Traits<H5Dclose>>;
using Hdf5Attribute = UniqueHandle<Hdf5Traits<H5Aclose>>;
using Hdf5AnyObject = UniqueHandle<Hdf5Traits<H5Oclose>>;
using Hdf5Space = UniqueHandle<Hdf5Traits<H5Sclose>>;
using Hdf5Type = UniqueHandle<Hdf5Traits<H5Tclose>>;
using Hdf5Properties = UniqueHandle<Hdf5Traits<H5Pclose>>;

/// While one lives, HDF5 does not print its errors.
class QuietHdf5 {
 public:
  QuietHdf5() {
    H5Eget_auto(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto(H5E_DEFAULT, nullptr, nullptr);
  }
  ~QuietHdf5() { H5Eset_auto(H5E_DEFAULT, function_, data_); }
  QuietHdf5(const QuietHdf5&) = delete;
  QuietHdf5& operator=(const QuietHdf5&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// Why the last call failed: the first, most specific message of HDF5's error stack.
std::string hdf5_error();

/// Throws InputError "PLACE: WHAT: cause; REMEDY" with the cause from hdf5_error(); for a file that
/// is locked, or marked as being written, the remedy for that. `place` is the file as the user
/// named it.
[[noreturn]] void hdf5_fail(const std::string& place, const char* what, ExitCode code);

/// What a call returned, unless it failed: then hdf5_fail.
struct Hdf5Check {
  template <std::signed_integral T>
  T operator()(T result) const {
    if (result < 0) hdf5_fail(place, what, code);
    return result;
  }

  const std::string& place;
  const char* what;
  ExitCode code = ExitCode::run_time;
};

template <class T>
hid_t hdf5_type() {
  if constexpr (std::same_as<T, double>) return H5T_NATIVE_DOUBLE;
  if constexpr (std::same_as<T, float>) return H5T_NATIVE_FLOAT;
  if constexpr (std::same_as<T, std::int64_t>) return H5T_NATIVE_INT64;
  if constexpr (std::same_as<T, std::uint64_t>) return H5T_NATIVE_UINT64;
  if constexpr (std::same_as<T, std::int32_t>) return H5T_NATIVE_INT32;
  return H5I_INVALID_HID;
}

/// Real numbers that stand for whole ones, as MATLAB and R store counts; false where one does not.
template <class Real>
bool to_whole_numbers(std::span<const Real> reals, std::int64_t* out) {
  for (const Real real : reals) {
    constexpr double most = 0x1p53;
    if (!(real >= -most && real <= most)) return false;
    const auto whole = static_cast<std::int64_t>(real);
    if (static_cast<Real>(whole) != real) return false;
    *out++ = whole;
  }
  return true;
}

/// What opens an object of a file whose links must not leave it, as links to other files do: access
/// properties of a group or a dataset, and the file that a link names.
class LinksInside {
 public:
  explicit LinksInside(hid_t property_class);  ///< H5P_GROUP_ACCESS or H5P_DATASET_ACCESS
  LinksInside(const LinksInside&) = delete;
  LinksInside& operator=(const LinksInside&) = delete;

  hid_t get() const { return properties_.get(); }
  /// After a call that failed: throws InputError beginning with `place` if that was a link to
  /// another file.
  void check(const std::string& place) const;

 private:
  Hdf5Properties properties_;
  std::string other_file_;
};

/// Text of variable length in UTF-8, as h5py writes and reads it.
Hdf5Type hdf5_text_type();

/// Attributes of a file (its root group), group or dataset; errors as hdf5_fail, run time.
void write_attribute(hid_t object, const char* name, hid_t type, const void* value,
                     const std::string& place);
void write_attribute(hid_t object, const char* name, const std::string& value,
                     const std::string& place);

template <class T>
void write_attribute(hid_t object, const char* name, const T& number, const std::string& place) {
  write_attribute(object, name, hdf5_type<T>(), &number, place);
}

/// A dataset of `type`, written at once; the last dimension of `shape` runs fastest.
void write_dataset(hid_t group, const char* name, hid_t type, const void* values,
                   std::span<const hsize_t> shape, const std::string& place);

/// Of one dimension.
template <class T>
void write_dataset(hid_t group, const char* name, const std::vector<T>& values,
                   const std::string& place) {
  const hsize_t size = values.size();
  write_dataset(group, name, hdf5_type<T>(), values.data(), {&size, 1}, place);
}

/// The text that an attribute or a dataset holds, or nothing where it is missing or another kind.
std::optional<std::string> text_attribute(hid_t object, const char* name);
std::optional<std::string> text_dataset(hid_t group, const char* name);
/// Numbers of an attribute that has one or two; empty where it is missing or not of whole numbers,
/// which may be stored as real ones.
std::vector<std::int64_t> integer_attribute(hid_t object, const char* name);

/// Whether `path`, with all groups above it, is there.
bool hdf5_object_exists(hid_t file, const std::string& path);
/// New group `path` of a file that is being written, with the groups above it.
Hdf5Group make_group(hid_t file, const std::string& path, const std::string& place);

/// The bytes of a file that `fill` fills, made in memory. Errors as hdf5_fail, run time.
std::string hdf5_image(const std::string& place, const std::function<void(hid_t file)>& fill);

}  // namespace rowhalo
