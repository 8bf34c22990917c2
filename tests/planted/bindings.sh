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
fault "SciPy gets an operator of several ranks" miniapp/bindings/python/rowhalo/_operator.py \
  'if cls is Operator and _communicator(comm)[1] == 1:' \
  'if cls is Operator:' \
  python_ranks_n2
fault "a column with gaps is read as if it had none" miniapp/bindings/python/rowhalo/_arrays.py \
  'on_gpu, array.flags.c_contiguous)' \
  'on_gpu, True)' \
  python_one_rank_n1
fault "another solver's options are taken" miniapp/bindings/python/rowhalo/_operator.py \
  'key = f"{text} {stream_of(b)}"' \
  'key = str(stream_of(b))' \
  python_one_rank_n1
fault "what is wrong on one rank only that rank says" miniapp/bindings/python/rowhalo/_operator.py \
  'everyone = [own] if size == 1 else comm.allgather(own)' \
  'everyone = [own]' \
  python_failures_n2
fault "the transpose keeps the values before a refill" miniapp/bindings/python/rowhalo/_operator.py \
  'type(csr)((data, csr.indices, csr.indptr), shape=csr.shape)' \
  'csr' \
  python_one_rank_n1
