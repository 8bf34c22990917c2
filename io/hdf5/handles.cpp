// SPDX-License-Identifier: BSD-3-Clause
//
// Errors, attributes and groups of HDF5 (handles.hpp).
#include "io/hdf5/handles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "io/hdf5/target.hpp"

namespace rowhalo {

const char* const hdf5_unusable = nullptr;

namespace {

/// The attribute, its type and its number of elements; no attribute where it is missing.
struct OpenAttribute {
  Hdf5Attribute attribute;
  Hdf5Type type;
  hssize_t size = 0;
};

OpenAttribute open_attribute(hid_t object, const char* name) {
  OpenAttribute open;
  if (H5Aexists(object, name) <= 0) return open;
  open.attribute = Hdf5Attribute(H5Aopen(object, name, H5P_DEFAULT));
  open.type = Hdf5Type(H5Aget_type(open.attribute.get()));
  const Hdf5Space space(H5Aget_space(open.attribute.get()));
  open.size = H5Sget_simple_extent_npoints(space.get());
  return open;
}

/// One text of `type`, which `read` reads, without blanks that pad it; nothing if it is none.
std::optional<std::string> text_of(hid_t type, const std::function<herr_t(hid_t, void*)>& read) {
  if (H5Tget_class(type) != H5T_STRING) return std::nullopt;
  std::string value;
  if (H5Tis_variable_str(type) > 0) {
    char* text = nullptr;
    if (read(type, &text) < 0 || text == nullptr) return std::nullopt;
    value = text;
    H5free_memory(text);
  } else {
    constexpr std::size_t most_bytes = 64 << 10;  // longer ones are no words of ours
    if (H5Tget_size(type) > most_bytes) return std::nullopt;
    value.resize(H5Tget_size(type));
    if (read(type, value.data()) < 0) return std::nullopt;
    value.resize(std::min(value.find('\0'), value.size()));
  }
  value.erase(value.find_last_not_of(' ') + 1);
  return value;
}

}  // namespace

LinksInside::LinksInside(hid_t property_class) : properties_(H5Pcreate(property_class)) {
  const auto refuse = [](const char*, const char*, const char* file, const char*, unsigned*, hid_t,
                         void* name) -> herr_t {
    *static_cast<std::string*>(name) = file;
    return -1;
  };
  H5Pset_elink_cb(properties_.get(), refuse, &other_file_);
}

void LinksInside::check(const std::string& place) const {
  if (other_file_.empty()) return;
  throw InputError(
      fmt::format("{}: is a link to another file, '{}'; name that one, or copy the numbers here",
                  place, other_file_));
}

Hdf5Type hdf5_text_type() {
  Hdf5Type type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.get(), H5T_VARIABLE);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

namespace {

/// The messages of the error stack, the most specific first.
std::vector<std::string> error_messages() {
  std::vector<std::string> messages;
  const auto add = [](unsigned, const H5E_error2_t* error, void* data) -> herr_t {
    if (error->desc != nullptr) {
      static_cast<std::vector<std::string>*>(data)->emplace_back(error->desc);
    }
    return 0;
  };
  H5Ewalk(H5E_DEFAULT, H5E_WALK_UPWARD, add, &messages);
  return messages;
}

}  // namespace

std::string hdf5_error() {
  const std::vector<std::string> messages = error_messages();
  std::string text = messages.empty() ? "" : messages.front();
  // Of a failed system call there are two lines with all its arguments.
  constexpr std::string_view before = "error message = '";
  if (const std::size_t found = text.find(before); found != std::string::npos) {
    text.erase(0, found + before.size());
    text.resize(std::min(text.find('\''), text.size()));
  }
  return text.empty() ? "HDF5 gives no reason" : text;
}

namespace {

std::string remedy_for(const std::string& cause, ExitCode code) {
  const bool failed_to_lock = std::ranges::any_of(error_messages(), [](const std::string& message) {
    return message.find("unable to lock file") != std::string::npos;
  });
  if (failed_to_lock) {
    return "another program has the file locked, or its file system has no locks; close that "
           "program, or set HDF5_USE_FILE_LOCKING=FALSE if nobody writes the file";
  }
  if (cause.find("already open for write") != std::string::npos) {
    return "a program that writes it has it open, or ended early: close it, or run h5clear -s on "
           "the file";
  }
  return code == ExitCode::usage ? "make the file again" : "check the disk and the permissions";
}

}  // namespace

void hdf5_fail(const std::string& place, const char* what, ExitCode code) {
  const std::string cause = hdf5_error(), remedy = remedy_for(cause, code);
  throw InputError(fmt::format("{}: {}: {}; {}", place, what, cause, remedy),
                   std::numeric_limits<std::int64_t>::max(), code);
}

void write_attribute(hid_t object, const char* name, hid_t type, const void* value,
                     const std::string& place) {
  const Hdf5Check check{place, "writing an attribute failed"};
  const Hdf5Space space(check(H5Screate(H5S_SCALAR)));
  const Hdf5Attribute attribute(
      check(H5Acreate(object, name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT)));
  check(H5Awrite(attribute.get(), type, value));
}

void write_attribute(hid_t object, const char* name, const std::string& value,
                     const std::string& place) {
  const char* text = value.c_str();
  write_attribute(object, name, hdf5_text_type().get(), &text, place);
}

void write_dataset(hid_t group, const char* name, hid_t type, const void* values,
                   std::span<const hsize_t> shape, const std::string& place) {
  const Hdf5Check check{place, "writing failed"};
  const Hdf5Space space(
      check(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr)));
  const Hdf5Dataset dataset(
      check(H5Dcreate(group, name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
  check(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
}

std::optional<std::string> text_attribute(hid_t object, const char* name) {
  const OpenAttribute open = open_attribute(object, name);
  if (!open.attribute || open.size != 1) return std::nullopt;
  return text_of(open.type.get(),
                 [&](hid_t type, void* to) { return H5Aread(open.attribute.get(), type, to); });
}

std::optional<std::string> text_dataset(hid_t group, const char* name) {
  const LinksInside links(H5P_DATASET_ACCESS);
  const Hdf5Dataset dataset(H5Dopen(group, name, links.get()));
  if (!dataset) return std::nullopt;
  const Hdf5Space space(H5Dget_space(dataset.get()));
  if (H5Sget_simple_extent_npoints(space.get()) != 1) return std::nullopt;
  return text_of(Hdf5Type(H5Dget_type(dataset.get())).get(), [&](hid_t type, void* to) {
    return H5Dread(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to);
  });
}

std::vector<std::int64_t> integer_attribute(hid_t object, const char* name) {
  const OpenAttribute open = open_attribute(object, name);
  if (!open.attribute || open.size < 1 || open.size > 2) return {};
  std::vector<std::int64_t> values(open.size);
  const H5T_class_t kind = H5Tget_class(open.type.get());
  if (kind == H5T_INTEGER) {
    if (H5Aread(open.attribute.get(), H5T_NATIVE_INT64, values.data()) < 0) values.clear();
  } else if (kind == H5T_FLOAT) {
    std::vector<double> reals(values.size());
    if (H5Aread(open.attribute.get(), H5T_NATIVE_DOUBLE, reals.data()) < 0) return {};
    if (!to_whole_numbers<double>(reals, values.data())) values.clear();
  } else {
    values.clear();
  }
  return values;
}

bool hdf5_object_exists(hid_t file, const std::string& path) {
  std::size_t end = path.find_first_not_of('/');
  while (end != std::string::npos) {
    end = path.find('/', end);
    if (H5Lexists(file, path.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
    if (end != std::string::npos) end = path.find_first_not_of('/', end);
  }
  return true;
}

Hdf5Group make_group(hid_t file, const std::string& path, const std::string& place) {
  const Hdf5Check check{place, "the group cannot be made"};
  if (path.find_first_not_of('/') == std::string::npos) {
    return Hdf5Group(check(H5Gopen(file, "/", H5P_DEFAULT)));
  }
  const Hdf5Properties links(check(H5Pcreate(H5P_LINK_CREATE)));
  check(H5Pset_create_intermediate_group(links.get(), 1));
  return Hdf5Group(check(H5Gcreate(file, path.c_str(), links.get(), H5P_DEFAULT, H5P_DEFAULT)));
}

std::string hdf5_image(const std::string& place, const std::function<void(hid_t file)>& fill) {
  const Hdf5Check check{place, "cannot be made in memory"};
  constexpr std::size_t step_bytes = 64 << 10;
  const Hdf5Properties in_memory(check(H5Pcreate(H5P_FILE_ACCESS)));
  check(H5Pset_fapl_core(in_memory.get(), step_bytes, 0));
  const Hdf5File file(
      check(H5Fcreate("rowhalo-image", H5F_ACC_TRUNC, H5P_DEFAULT, in_memory.get())));
  fill(file.get());
  check(H5Fflush(file.get(), H5F_SCOPE_GLOBAL));
  std::string bytes(check(H5Fget_file_image(file.get(), nullptr, 0)), '\0');
  check(H5Fget_file_image(file.get(), bytes.data(), bytes.size()));
  return bytes;
}

}  // namespace rowhalo
