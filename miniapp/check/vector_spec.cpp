// SPDX-License-Identifier: BSD-3-Clause
//
// Entries of x and y by their index in the source (vector_spec.hpp).
#include "miniapp/check/vector_spec.hpp"

#include <cmath>
#include <utility>

#include "io/vector_file.hpp"
#include "partition/base/hash.hpp"
#include "partition/base/numbers.hpp"
#include "partition/base/spec.hpp"
#include "partition/base/suggestion.hpp"
#include "partition/matrix/directory.hpp"

namespace rowhalo {

std::vector<std::string> vector_usages() {
  std::vector<std::string> usages{"random:seed=N", "ones", "zeros", "index", "log"};
  for (const VectorKind& file : vector_kinds()) usages.push_back(file.usage);
  return usages;
}

VectorSpec::VectorSpec(const std::string& text, const char* option, GlobalIndex size,
                       const Comm& comm, Progress& progress)
    : size_(size), comm_(comm) {
  if (names_vector_file(text)) {
    kind_ = Kind::file;
    check_vector_source(text, option, comm);
    share_ = read_vector(text, size, comm, progress);
    return;
  }
  agree(comm, [&] {
    const Spec spec = Spec::parse(text, option);
    constexpr std::pair<const char*, Kind> kinds[] = {{"zeros", Kind::zeros},
                                                      {"ones", Kind::ones},
                                                      {"index", Kind::index},
                                                      {"log", Kind::log},
                                                      {"random", Kind::random}};
    for (const auto& [name, kind] : kinds) {
      if (spec.name() != name) continue;
      kind_ = kind;
      if (!spec.argument().empty()) {
        spec.fail(kind == Kind::random ? "write random:seed=N" : "takes no argument");
      }
      if (kind == Kind::random) {
        spec.allow_only({"seed"});
        seed_ = static_cast<std::uint64_t>(spec.integer("seed", 1, 0));
      } else {
        spec.allow_only({});
      }
      return;
    }
    std::vector<std::string> names;
    for (const auto& [name, kind] : kinds) names.push_back(name);
    spec.fail("unknown vector" + suggestion(spec.name(), names, "use " + listed(vector_usages())));
  });
}

std::vector<double> VectorSpec::entries(std::span<const GlobalIndex> numbers,
                                        Precision precision) const {
  std::vector<double> result;
  if (kind_ == Kind::file) {
    result = gather<double>(comm_, size_, share_, numbers);
  } else {
    result.resize(numbers.size());
  }
#pragma omp parallel for schedule(static)
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const auto i = static_cast<double>(numbers[k]);
    switch (kind_) {
      case Kind::zeros:
        result[k] = 0;
        break;
      case Kind::ones:
        result[k] = 1;
        break;
      case Kind::index:
        result[k] = i + 1;
        break;
      case Kind::log:
        result[k] = std::log(std::sqrt(i * i - i + 2));
        break;
      case Kind::random:
        result[k] = uniform_value(seed_, static_cast<std::uint64_t>(numbers[k]));
        break;
      case Kind::file:
        break;
    }
    result[k] = rounded_to(vector_type(precision), result[k]);
  }
  return result;
}

}  // namespace rowhalo
