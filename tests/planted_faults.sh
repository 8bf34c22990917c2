# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# The faults that planted.sh plants: fault NAME FILE TEXT REPLACEMENT, where TEXT stands in FILE exactly
# once. Each is what a tired person might write; none may crash on a bounds check of its own making.

# --- partition/
fault "ghost slot off by one" partition/halo_plan.cpp \
  'plan.receives.push_back({owner, begin, ghost - begin});' \
  'plan.receives.push_back({owner, begin == 0 ? 0 : begin - 1, ghost - begin});'
fault "wrong entry is sent" partition/halo_plan.cpp \
  'static_cast<LocalIndex>(number - matrix.columns.starts[comm.rank])' \
  'static_cast<LocalIndex>(number - matrix.columns.starts[comm.rank]) / 2'
fault "directory owner wrong" partition/distributed_csr.hpp \
  ': larger + (b - larger * (small + 1)) / small);' \
  ': larger + (b - larger * (small + 1)) / (small + 1));'
fault "directory answers out of order" partition/directory.hpp \
  'entries[k] = received[asked.positions[k]];' \
  'entries[k] = received[k];'
fault "lost duplicate" partition/distributed_csr.cpp \
  'matrix.values.back() += entry->value;' \
  'matrix.values.back() = entry->value;'
fault "duplicates summed in any order" partition/distributed_csr.cpp \
  'if (!std::is_sorted(begin, end, by_column)) std::stable_sort(begin, end, by_column);' \
  'std::reverse(begin, end); std::stable_sort(begin, end, by_column);'
fault "reversed column order" partition/distributed_csr.cpp \
  'return a.column < b.column; };' \
  'return a.column > b.column; };'
fault "owner skips ranks without rows wrongly" partition/local_matrix.cpp \
  'std::upper_bound(starts.begin(), starts.end(), number)' \
  'std::lower_bound(starts.begin(), starts.end(), number)'
fault "boundary row taken for interior" partition/local_matrix.cpp \
  'is_boundary[row] = 1;' \
  'is_boundary[row] = row % 97 != 96;'
fault "reordered columns keep their old numbers" partition/local_matrix.cpp \
  'return positions_.empty() ? static_cast<LocalIndex>(local) : positions_[local];' \
  'return static_cast<LocalIndex>(local);'
fault "a part that asks from two ranks counts twice" partition/quality.cpp \
  'kept.erase(std::unique(kept.begin(), kept.end()), kept.end());' \
  ''
fault "empty row list means all rows" partition/base/row_list.cpp \
  'if (list.groups.empty()) list.groups.push_back(0);' \
  ''
fault "row group taken for consecutive" partition/base/row_list.cpp \
  'group.back() - group.front() + 1 == static_cast<LocalIndex>(group.size())' \
  'group.back() - group.front() <= static_cast<LocalIndex>(group.size())'
fault "hash depends on the order of the rank" miniapp/validation.cpp \
  'hash_of_entry(matrix.source_rows[row], static_cast<const double*>(y)[row])' \
  'hash_of_entry(row, static_cast<const double*>(y)[row])'
fault "nnz cuts inside a block" partition/partitioner_nnz.cpp \
  'row < rows; row += block' \
  'row < rows; row += 1'

# --- kernels/
fault "beta ignored" kernels/bits.hpp \
  'fused_multiply_add(alpha, sum, beta * y)' \
  'fused_multiply_add(alpha, sum, y)'
fault "y read when beta is 0" kernels/bits.hpp \
  'y = beta == 0 ? alpha * sum : ' \
  'y = '
fault "two roundings instead of one" kernels/bits.hpp \
  'return __builtin_fma(a, b, c);' \
  'return a * b + c;'
fault "slice end off by one" kernels/cpu/sell.cpp \
  'for (; first < end; first += C) add_step<Slots::may_be_empty, width>(a, first, sums);' \
  'for (; first < end - C; first += C) add_step<Slots::may_be_empty, width>(a, first, sums);'
fault "last partial slice forgotten" kernels/cpu/sell.cpp \
  'if (begin < end && whole < end) partial_slice' \
  'if (begin < end && whole + 1 < end) partial_slice'
fault "padding touches x" kernels/cpu/lanes.hpp \
  'gathered = sign < 0 ? -Vector{} : gathered;' \
  'gathered = sign < 0 ? Vector{} * gathered : gathered;'
fault "padding of a strip touches x" kernels/cpu/lanes.hpp \
  'own = bit == 0 ? -Vector{} : own;' \
  'own = bit == 0 ? Vector{} * own : own;'
fault "block taken for full" kernels/cpu/bsr.cpp \
  'return block.mask == ~std::uint64_t{0} >> (64 - b_ * b_);' \
  'return (block.mask | 1) == ~std::uint64_t{0} >> (64 - b_ * b_);'
fault "last column of the block forgotten" kernels/cpu/hyb_kernel.hpp \
  'for (; k < a.width; ++k, slot += lanes)' \
  'for (; k + 1 < a.width; ++k, slot += lanes)'
fault "last row of a jagged diagonal lost" kernels/cpu/jds.cpp \
  'static_cast<LocalIndex>(std::min(lanes, longer - first))' \
  'static_cast<LocalIndex>(std::min(lanes, longer - first - 1))'

# --- io/
fault "symmetric half lost" io/matrix_market.cpp \
  'if (symmetry != MatrixMarketSymmetry::general && entry.row != entry.column) {' \
  'if (symmetry == MatrixMarketSymmetry::skew_symmetric && entry.row != entry.column) {'
fault "sign of the skew half lost" io/matrix_market.cpp \
  'symmetry == MatrixMarketSymmetry::skew_symmetric ? -1.0 : 1.0;' \
  'symmetry == MatrixMarketSymmetry::skew_symmetric ? 1.0 : 1.0;'
fault "line number off by one" io/matrix_market.cpp \
  'path, lines + first->line + 1, first->what' \
  'path, lines + first->line, first->what'
fault "strides of the grid mixed up" io/sources/stencil.cpp \
  'p.x + grid.extent[0] * (p.y + grid.extent[1] * p.z)' \
  'p.x + grid.extent[0] * (p.y + grid.extent[0] * p.z)'
fault "coefficient of a pair differs from its two sides" io/sources/stencil.cpp \
  'std::minmax({number(p), number(q)})' \
  'std::pair(number(p), number(q))'
fault "clamped columns kept" io/sources/elasticity.cpp \
  'node.at[2] == 0 || node.at[2] + dz == 0' \
  'node.at[2] == 0'
fault "edges drawn by their number on the rank" io/sources/rmat.cpp \
  'rmat.draw(begin + k)' \
  'rmat.draw(k)'
fault "streets end at their quarter" io/sources/road.cpp \
  ' || runs_along_x(next) == along_x' \
  ''
fault "overlong last word of a band" io/sources/banded.cpp \
  'if (last - first < 63)' \
  'if (last - first < 62)'

# --- miniapp/
fault "stale halo: packed for one vector only" miniapp/halo/host_exchange.cpp \
  'if (contiguous_[k]) continue;' \
  'if (contiguous_[k] || x.slot > 0) continue;'
fault "exchange not waited for" miniapp/halo/mpi.cpp \
  'MPI_Waitall(checked_cast<int>(requests_.size(), "requests")' \
  'MPI_Waitall(checked_cast<int>(requests_.size() / 2, "requests")'
fault "validator accepts too much" miniapp/validation.hpp \
  'return max <= 1;' \
  'return max <= 1e6;'
fault "rank without messages starts none" miniapp/halo/mpi_persistent.cpp \
  'if (requests.empty()) return;' \
  ''
fault "watchdog sleeps" miniapp/watchdog.cpp \
  'if (idle_seconds >= limit)' \
  'if (idle_seconds >= 100 * limit)'
fault "scattered y saved in the rank's order" miniapp/run.cpp \
  'deal_out<double>(comm_, matrix_.info.rows, matrix_.source_rows, y)' \
  'y'
