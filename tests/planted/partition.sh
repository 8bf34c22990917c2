# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# Faults that planted.sh plants in partition/

fault "ghost slot off by one" partition/halo_plan.cpp \
  'plan.receives.push_back({owner, begin, ghost - begin});' \
  'plan.receives.push_back({owner, begin == 0 ? 0 : begin - 1, ghost - begin});'
fault "wrong entry is sent" partition/halo_plan.cpp \
  'static_cast<LocalIndex>(number - matrix.columns.starts[comm.rank])' \
  'static_cast<LocalIndex>(number - matrix.columns.starts[comm.rank]) / 2'
fault "directory owner wrong" partition/matrix/distributed_csr.hpp \
  ': larger + (b - larger * (small + 1)) / small);' \
  ': larger + (b - larger * (small + 1)) / (small + 1));'
fault "directory answers out of order" partition/matrix/directory.hpp \
  'entries[k] = received[asked.positions[k]];' \
  'entries[k] = received[k];'
fault "lost duplicate" partition/row_order.cpp \
  'values[kept - 1] += value;' \
  'values[kept - 1] = value;'
fault "duplicates summed in any order" partition/row_order.cpp \
  'for (Offset k = 0; k < length; ++k) entries.' \
  'for (Offset k = length; k-- > 0;) entries.'
fault "reversed column order" partition/row_order.cpp \
  'return a.first < b.first; });' \
  'return a.first > b.first; });'
fault "owner skips ranks without rows wrongly" partition/matrix/distributed_csr.cpp \
  'std::upper_bound(starts.begin(), starts.end(), number)' \
  'std::lower_bound(starts.begin(), starts.end(), number)'
fault "boundary row taken for interior" partition/local_matrix.cpp \
  'std::any_of(begin, end, [&](' \
  'k % 97 != 96 && std::any_of(begin, end, [&]('
fault "reordered columns keep their old numbers" partition/local_matrix.cpp \
  'return positions_.empty() ? static_cast<LocalIndex>(local) : positions_[local];' \
  'return static_cast<LocalIndex>(local);'
fault "a part that asks from two ranks counts twice" partition/quality.cpp \
  'return sorted_union(std::move(from_ranks));' \
  'return received;'
fault "owners that descend from rank to rank seem to ascend" partition/quality.cpp \
  'owners.front() >= std::ranges::max(below)' \
  ''
fault "what every other thread met is lost" partition/matrix/threads.hpp \
  'step < count; step *= 2' \
  'step < count; step *= 4'
fault "empty row list means all rows" partition/base/row_list.cpp \
  'if (list.groups.empty()) list.groups.push_back(0);' \
  ''
fault "row group taken for consecutive" partition/base/row_list.cpp \
  'group.back() - group.front() + 1 == static_cast<LocalIndex>(group.size())' \
  'group.back() - group.front() <= static_cast<LocalIndex>(group.size())'
fault "hash depends on the order of the rank" miniapp/check/validation.cpp \
  'static_cast<std::uint64_t>(matrix.source_rows[row])' \
  'static_cast<std::uint64_t>(row)'
fault "nnz cuts inside a block" partition/partitioners/nnz.cpp \
  'row < rows; row += block' \
  'row < rows; row += 1'
fault "nnz counts rows for nothing" partition/partitioners/functions.hpp \
  '3 * nonzeros + 5 * rows' \
  '3 * nonzeros'
fault "fp16 ties go away from zero" partition/base/numbers.cpp \
  'std::nearbyint(' \
  'std::round('
fault "subnormals keep all digits" partition/base/numbers.cpp \
  'std::max(std::ilogb(value), shape.smallest_exponent)' \
  'std::ilogb(value)'
fault "metis without weights" partition/partitioners/metis.cpp \
  'graph.neighbours.data(), graph.weights.data(),' \
  'graph.neighbours.data(), nullptr,'
fault "metis takes the first objective for both" partition/partitioners/metis.cpp \
  'settings[METIS_OPTION_OBJTYPE] = objective;' \
  'settings[METIS_OPTION_OBJTYPE] = choices.objectives.front();'
fault "ptscotch without weights" partition/partitioners/ptscotch.cpp \
  'share.weights.data(), nullptr, edges, edges, share.neighbours.data(),' \
  'nullptr, nullptr, edges, edges, share.neighbours.data(),'
fault "ptscotch forgets the imbalance" partition/partitioners/ptscotch.cpp \
  'choices.imbalance - 1),' \
  '0.3),'
fault "rows of a block on two parts" partition/partitioners/block_graph.cpp \
  'const std::size_t v = row / matrix.info.block;' \
  'const std::size_t v = (row + (row + 1 < owners.size())) / matrix.info.block;'
fault "transposed edges of the first vertex lost" partition/partitioners/block_graph.cpp \
  'return edge.vertex >= 0; }' \
  'return edge.vertex > 0; }'
fault "transposed edge of the next vertex" partition/partitioners/block_graph.cpp \
  'while (*next <= k) ++next;' \
  'while (*next < k) ++next;'
fault "entries of the transpose to the owner of another row" partition/matrix/transpose.cpp \
  'EvenOwner owner(buckets.rows, buckets.ranks, buckets.block);' \
  'EvenOwner owner(buckets.rows, buckets.ranks);'
fault "entries of the transpose in descending order" partition/matrix/transpose.cpp \
  'k = arrived.starts[piece]; k < arrived.starts[piece + 1]; ++k' \
  'k = arrived.starts[piece + 1] - 1; k >= arrived.starts[piece]; --k'
fault "a matrix with the pattern of its transpose is taken for it" partition/matrix/transpose.cpp \
  'fingerprint(comm, matrix) == transposed_fingerprint(comm, matrix)' \
  'true'
fault "boxes share an owner" partition/partitioners/box.cpp \
  'boxes[0] * (layers[1].box(place[1]) + boxes[1] * layers[2].box(place[2]));' \
  'boxes[0] * (layers[1].box(place[1]) + boxes[0] * layers[2].box(place[2]));'
fault "box forgets the weights" partition/partitioners/box.cpp \
  'direction.cut(comm);' \
  'direction.cut_evenly();'
fault "owners in a file split a block" partition/partitioners/file.cpp \
  'if (owners.back() != block_owner_)' \
  'if (owners.back() < block_owner_)'
fault "flows the wrong way round" partition/quality.cpp \
  'flows.push_back({from, need.to, 0});' \
  'flows.push_back({need.to, from, 0});'
fault "flows from two ranks counted once" partition/quality.cpp \
  'flows[kept - 1].entries += flow.entries;' \
  'flows[kept - 1].entries = flow.entries;'
fault "auto cuts a graph whatever it takes" partition/assignment.cpp \
  'if (seconds <= longest_cut_seconds) return {};' \
  'return {};' \
  cli_partitions
fault "auto goes on where no halo is left to save" partition/assignment.cpp \
  'const double least = cuts ? large_share : negligible_share;' \
  'const double least = -1;' \
  test_assignment_n2
fault "auto leaves rows for the least gain" partition/assignment.cpp \
  '(1 + negligible_share) * candidate.predicted_seconds' \
  'candidate.predicted_seconds' \
  test_assignment_n2
fault "time in counted for the sender" partition/assignment.cpp \
  'slowest = std::max({slowest, memory, out, in});' \
  'slowest = std::max({slowest, memory, out + in});'
fault "what nodes receive counts as sent" partition/nodes.cpp \
  '(inside ? to.received_inside : to.received_between).add' \
  'count(inside ? to.received_inside : to.sent_between, flow);'
fault "rank 0 holds the flows of all parts" partition/quality.cpp \
  '++counts[even_split_owner(parts, 1, comm.size, flow.from)];' \
  '++counts[0];'
fault "ranks of a node taken for neighbours" partition/nodes.cpp \
  'owners[row] = ranks[node][*next++];' \
  'owners[row] = node * parts + *next++;'
fault "grid of a node one too small" partition/nodes.cpp \
  'bounds[axis] + bounds[3 + axis] + 2 - extent[axis];' \
  'bounds[axis] + bounds[3 + axis] + 1 - extent[axis];'
fault "rcm by falling degree" partition/reorder.cpp \
  'degree(a) < degree(b) : a < b;' \
  'degree(a) > degree(b) : a < b;'
fault "rcm not reversed" partition/reorder.cpp \
  'std::reverse(order.begin() + static_cast<std::ptrdiff_t>(begin), order.end());' \
  ''
fault "rcm keeps one side of an edge" partition/reorder.cpp \
  'neighbours_[ends_[to]++] = from;' \
  'neighbours_[ends_[to]++] = to;'
fault "minus zero has no partner" partition/matrix/matrix_statistics.cpp \
  'matrix.values[k] + 0.0;' \
  'matrix.values[k];'
fault "longest row of a bucket one too long" partition/matrix/matrix_statistics.cpp \
  '2 * (shortest - 1) + 1;' \
  '2 * shortest;'
fault "a partial sum of ones" partition/partial_sums.cpp \
  'moved.values[place] = matrix.values[entry.at];' \
  'moved.values[place] = 1;' \
  test_partition_n2
fault "partial sums begin where this rank's do" partition/partial_sums.cpp \
  'my_first_sum_on = exchange_counts(comm, begins);' \
  'my_first_sum_on = begins;' \
  test_partition_n3
fault "partial sums without their saving" partition/partial_sum_cover.cpp \
  'leave_out_what_saves_nothing(ranks, cover);' \
  '' \
  test_partition_n2
fault "sums cost nothing to those who compute them" partition/partial_sums.cpp \
  'words[own_columns[k]] += csr_words(0, more[k]);' \
  'words[own_columns[k]] += 0;' \
  test_partition_n2
fault "huge pages end with the last whole one" partition/base/huge_pages.cpp \
  '(bytes + huge_page - 1) / huge_page * huge_page' \
  'bytes / huge_page * huge_page'
