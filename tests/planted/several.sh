# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# Faults that planted.sh plants where several vectors are multiplied at once, and where partial sums are

fault "the last of several vectors stays behind in messages" miniapp/halo/element_word.hpp \
  'target = std::copy_n(source + words * index, words, target);' \
  'std::copy_n(source + words * index, words - 1, target), target += words;' \
  test_several_n3
fault "columns of several vectors begin where rows end" miniapp/spmv/layouts.cpp \
  'const Word* const column = columns + k * leading;' \
  'const Word* const column = columns + k * rows;' \
  test_several_n1
fault "one vector after the other, all of them the first" miniapp/spmv/operator.cpp \
  'const HaloVector x = p.x.column(k);' \
  'const HaloVector x = p.x.column(0);' \
  test_several_n3
fault "y of several vectors keeps the layout of the kernels" miniapp/spmv/operator.cpp \
  'if (last) run(steps.last(1), parts, stream, after);' \
  'if (false) run(steps.last(1), parts, stream, after);' \
  test_several_n3
fault "each vector of --x is that of the first seed" miniapp/check/vector_spec.cpp \
  'spec.integer("seed", 1, 0)) + vector;' \
  'spec.integer("seed", 1, 0));' \
  cli_several
fault "partial sums are not computed" miniapp/spmv/operator.cpp \
  'if (sums->owned > 0) {
        kernels.sums->apply({.x = parts.owned_x(), .y = sums->view(), .vectors = p.x.vectors},
                            stream);
      }' \
  '' \
  cli_halo
fault "sums of other ranks are added as they are" miniapp/spmv/operator.cpp \
  'kernels.added->apply({p.alpha, sums->view(), 1, p.y, nullptr, p.x.vectors}, stream);' \
  'kernels.added->apply({1, sums->view(), 1, p.y, nullptr, p.x.vectors}, stream);' \
  cli_halo
