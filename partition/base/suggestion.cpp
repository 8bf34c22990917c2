// SPDX-License-Identifier: BSD-3-Clause
#include "partition/base/suggestion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace rowhalo {

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// Letters to insert, remove, replace or swap with their neighbour.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before, last, row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    before = std::exchange(last, row);
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = last[j] + (a[i] == b[j] ? 0 : 1);
      row[j + 1] = std::min({replaced, last[j + 1] + 1, row[j] + 1});
      const bool swapped = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
      if (swapped) row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
    }
  }
  return row.back();
}

/// What other programs (PETSc, mpirun, NumPy and their like) call the same thing.
constexpr std::pair<std::string_view, std::string_view> other_names[] = {
    {"--transport", "--halo"},
    {"--exchange", "--halo"},
    {"--comm", "--halo"},
    {"--kernel", "--format"},
    {"--storage", "--format"},
    {"--pc", "--preconditioner"},
    {"--rtol", "--tolerance"},
    {"--eps", "--tolerance"},
    {"--ksp", "--method"},
    {"--solver", "--method"},
    {"--maxiter", "--max-iterations"},
    {"--max-it", "--max-iterations"},
    {"--nrhs", "--vectors"},
    {"--dry-run", "--dry"},
    {"--dtype", "--precision"},
    {"--verify", "--validate"},
    {"--check", "--validate"},
    {"--output", "--save-y"},
    {"--input", "--matrix"},
    {"--file", "--matrix"},
    {"double", "fp64"},
    {"float64", "fp64"},
    {"float", "fp32"},
    {"single", "fp32"},
    {"float32", "fp32"},
    {"half", "fp16"},
    {"float16", "fp16"},
    {"bfloat16", "bf16"},
    {"cuda", "gpu"},
    {"host", "cpu"},
    {"bcgs", "bicgstab"},
    {"parmetis", "metis"},
    {"scotch", "ptscotch"},
    {"ellpack", "ell"},
    {"bcsr", "bsr"},
    {"diagonal", "jacobi"},
};

/// The name among `names` for which others have the word `written`; null where there is none.
const std::string* same_thing(std::string_view written, const std::vector<std::string>& names) {
  for (const auto& [other, ours] : other_names) {
    const auto found = std::find(names.begin(), names.end(), ours);
    if (written == other && found != names.end()) return &*found;
  }
  return nullptr;
}

/// The only name that begins with `written`, if that is long enough to tell.
const std::string* only_longer(std::string_view written, const std::vector<std::string>& names) {
  constexpr std::ptrdiff_t least_letters = 3;
  const auto is_letter = [](char c) { return c != '-'; };
  if (std::count_if(written.begin(), written.end(), is_letter) < least_letters) return nullptr;
  const auto begins = [&](const std::string& name) { return lower(name).starts_with(written); };
  const auto found = std::find_if(names.begin(), names.end(), begins);
  if (found == names.end() || std::count_if(names.begin(), names.end(), begins) > 1) return nullptr;
  return &*found;
}

}  // namespace

std::string suggestion(std::string_view word, const std::vector<std::string>& names,
                       std::string remedy) {
  const std::string written = lower(word);
  const std::string* nearest = same_thing(written, names);
  std::size_t least = nearest != nullptr ? 0 : written.size() / 3 + 1;
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(written, lower(name));
    if (distance >= least) continue;
    least = distance;
    nearest = &name;
  }
  if (nearest == nullptr) nearest = only_longer(written, names);
  if (nearest == nullptr) return "; " + remedy;
  if (!remedy.empty()) {
    remedy[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(remedy[0])));
  }
  return fmt::format("; did you mean {}? {}", *nearest, remedy);
}

}  // namespace rowhalo
