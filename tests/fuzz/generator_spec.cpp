// SPDX-License-Identifier: BSD-3-Clause
//
// Specs of generators (stencil7:nx=4,ny=5) and of everything else with the same little language.
// Input: the text. What a generator accepts has sizes that make sense; a small matrix is made, and
// its columns ascend inside the matrix.
#include <algorithm>

#include "io/sources.hpp"
#include "partition/base/spec.hpp"
#include "tests/fuzz/memory_file.hpp"

using namespace rowhalo;

namespace {

void check_rows(const DistributedCsr& matrix) {
  for (GlobalIndex row = 0; row < matrix.local_rows(); ++row) {
    GlobalIndex last = -1;
    for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      require(matrix.columns[k] > last, "columns ascend");
      last = matrix.columns[k];
    }
    require(last < matrix.info.columns, "the column is of the matrix");
  }
}

void generate(const Spec& spec, const SourceEntry& source) {
  const MatrixOutline outline = source.functions->outline(spec, alone());
  require(outline.info.rows >= 0 && outline.info.columns >= 0, "no negative sizes");
  require(outline.nonzeros >= 0, "no negative number of nonzeros");
  require(outline.info.block >= 1, "blocks have a size");
  // rmat may draw an edge many times.
  if (outline.info.rows > 300 || outline.nonzeros > 3000 || spec.number("edges", 1) > 100) return;
  Progress progress;
  check_rows(source.functions->load(spec, alone(), progress));
}

}  // namespace

void run_input(std::string_view input) {
  try {
    const Spec spec = Spec::parse(input, "--matrix");
    const auto table = sources();
    const auto source = std::find_if(table.begin(), table.end(), [&](const SourceEntry& entry) {
      return entry.name[0] != '.' && spec.name() == entry.name;
    });
    if (source != table.end()) generate(spec, *source);
  } catch (const InputError&) {
  } catch (const AgreedError&) {
  }
}
