// SPDX-License-Identifier: BSD-3-Clause
//
// Entries of x and y by their index in the source (vector_spec.hpp).
#include "miniapp/check/vector_spec.hpp"

#include <fmt/format.h>

#include <cmath>

#include "io/file_kind.hpp"
#include "io/sources.hpp"
#include "io/vector_file.hpp"
#include "partition/base/hash.hpp"
#include "partition/base/numbers.hpp"
#include "partition/base/spec.hpp"
#include "partition/base/suggestion.hpp"
#include "partition/matrix/directory.hpp"

namespace rowhalo {

namespace {

struct NamedVector {
  const char* name;
  const char* usage;
  double (*entry)(std::uint64_t seed, std::uint64_t number);
};

constexpr NamedVector named_vectors[] = {
    {"random", "random:seed=N", uniform_value},
    {"ones", "ones", [](std::uint64_t, std::uint64_t) { return 1.0; }},
    {"zeros", "zeros", [](std::uint64_t, std::uint64_t) { return 0.0; }},
    {"index", "index",
     [](std::uint64_t, std::uint64_t number) { return static_cast<double>(number) + 1; }},
    {"log", "log",
     [](std::uint64_t, std::uint64_t number) {
       const auto i = static_cast<double>(number);
       return std::log(std::sqrt(i * i - i + 2));
     }},
};

/// Collective. The name of a column of a file that holds all vectors.
std::string column_name(const std::string& text, const char* option, int vector, const Comm& comm) {
  agree(comm, [&] {
    if (file_location(text).column == 0) return;
    throw InputError(fmt::format(
        "{} {}: names one column, but --vectors takes the first columns of the file; leave out "
        ":column=",
        option, text));
  });
  return fmt::format("{}:column={}", text, vector + 1);
}

}  // namespace

std::vector<std::string> vector_usages() {
  std::vector<std::string> usages;
  for (const NamedVector& vector : named_vectors) usages.emplace_back(vector.usage);
  for (const SourceEntry& entry : sources()) {
    if (entry.is_file()) usages.emplace_back(entry.vector_usage);
  }
  return usages;
}

VectorSpec::VectorSpec(const std::string& text, const char* option, GlobalIndex size,
                       const Comm& comm, Progress& progress, int vector, int vectors)
    : size_(size), comm_(comm) {
  if (names_vector_file(text)) {
    check_vector_source(text, option, comm);
    const std::string name = vectors > 1 ? column_name(text, option, vector, comm) : text;
    share_ = read_vector(name, size, comm, progress);
    return;
  }
  agree(comm, [&] {
    const Spec spec = Spec::parse(text, option);
    std::vector<std::string> names;
    for (const NamedVector& known : named_vectors) {
      names.emplace_back(known.name);
      if (spec.name() != names.back()) continue;
      entry_ = known.entry;
      const bool random = entry_ == &uniform_value;
      if (!spec.argument().empty()) {
        spec.fail(random ? "write random:seed=N" : "takes no argument");
      }
      if (random) {
        spec.allow_only({"seed"});
        seed_ = static_cast<std::uint64_t>(spec.integer("seed", 1, 0)) + vector;
      } else {
        spec.allow_only({});
      }
      return;
    }
    spec.fail("unknown vector" + suggestion(spec.name(), names, "use " + listed(vector_usages())));
  });
}

std::vector<double> VectorSpec::entries(std::span<const GlobalIndex> numbers,
                                        Precision precision) const {
  std::vector<double> result(numbers.size());
  if (entry_ == nullptr) result = gather<double>(comm_, size_, share_, numbers);
#pragma omp parallel for schedule(static)
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (entry_ != nullptr) result[k] = entry_(seed_, static_cast<std::uint64_t>(numbers[k]));
    result[k] = rounded_to(vector_type(precision), result[k]);
  }
  return result;
}

}  // namespace rowhalo
