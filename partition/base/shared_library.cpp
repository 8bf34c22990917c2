// SPDX-License-Identifier: BSD-3-Clause
#include "partition/base/shared_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

namespace rowhalo {

SharedLibrary::SharedLibrary(const std::string& name)
    : name_(name), handle_(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) throw std::runtime_error(fmt::format("cannot be opened: {}", dlerror()));
}

void* SharedLibrary::address(const char* name) const {
  void* found = dlsym(handle_, name);
  if (found == nullptr) throw std::runtime_error(fmt::format("{} lacks {}()", name_, name));
  return found;
}

}  // namespace rowhalo
