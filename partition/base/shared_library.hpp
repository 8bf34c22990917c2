// SPDX-License-Identifier: BSD-3-Clause
//
// A shared library that the program opens itself, at its first use: one whose loading costs every
// process much (cuBLAS: 0.1 s; cuSPARSE: 9 ms), or one that the program can do without. Stays open
// to the end.
#pragma once

#include <dlfcn.h>
#include <fmt/format.h>

#include <stdexcept>
#include <string>

namespace rowhalo {

class SharedLibrary {
 public:
  /// Opens `name`, as "libcublas.so.13", where the dynamic loader looks for libraries; throws
  /// std::runtime_error with the loader's reason.
  explicit SharedLibrary(const std::string& name)
      : name_(name), handle_(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) {
      throw std::runtime_error(fmt::format("cannot be opened: {}", dlerror()));
    }
  }

  /// The function called `name`, of which Function is the type; throws std::runtime_error where
  /// the library lacks it.
  template <class Function>
  Function* function(const char* name) const {
    void* found = dlsym(handle_, name);
    if (found == nullptr) throw std::runtime_error(fmt::format("{} lacks {}()", name_, name));
    return reinterpret_cast<Function*>(found);
  }

 private:
  std::string name_;
  void* handle_;
};

}  // namespace rowhalo
