// SPDX-License-Identifier: BSD-3-Clause
//
// A shared library that the program opens itself, at its first use: one whose loading costs every
// process much (cuBLAS: 0.1 s; cuSPARSE: 9 ms), or one that the program can do without. Stays open
// to the end.
#pragma once

#include <stdexcept>
#include <string>

namespace rowhalo {

class SharedLibrary {
 public:
  /// Opens `name`, as "libcublas.so.13", where the dynamic loader looks for libraries; throws
  /// std::runtime_error with the loader's reason.
  explicit SharedLibrary(const std::string& name);

  /// The function called `name`, of which Function is the type; throws std::runtime_error where
  /// the library lacks it.
  template <class Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(address(name));
  }

 private:
  void* address(const char* name) const;

  std::string name_;
  void* handle_;
};

}  // namespace rowhalo
