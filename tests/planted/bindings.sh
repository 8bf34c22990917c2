# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# Faults that planted.sh plants in what other languages call

fault "ranks may have other options" miniapp/bindings/c/options.cpp \
  'if (!same) throw' \
  'if (false) throw' \
  test_c_n3
fault "floats are counted as doubles" miniapp/bindings/c/rows.cpp \
  'converted_bytes += bytes * static_cast' \
  'converted_bytes += 8 * static_cast' \
  test_c_n1
fault "rows of the transpose stay where they are" miniapp/bindings/c/rows.cpp \
  'owners[row] = column_ranges.owner(matrix.first_row + static_cast<GlobalIndex>(row));' \
  'owners[row] = comm.rank;' \
  test_c_n3
fault "a destroyed solver still counts" miniapp/bindings/c/solver.cpp \
  '--gone->of.solvers;' \
  '' \
  test_c_n1
fault "what an operator was made with lacks its transpose" miniapp/bindings/c/options.cpp \
  'transpose ? "on" : "off"' \
  '"off"' \
  test_c_n1
