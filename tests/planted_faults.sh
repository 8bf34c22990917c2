# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2016
#
# The faults that planted.sh plants: fault NAME FILE TEXT REPLACEMENT [FIRST_TEST], where TEXT stands in
# FILE exactly once. Each is what a tired person might write; none may crash on a bounds check of its
# own making. FIRST_TEST names the one that finds it where only tests of the whole program can: that
# saves minutes.

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
fault "lost duplicate" partition/row_order.cpp \
  'values[kept - 1] += value;' \
  'values[kept - 1] = value;'
fault "duplicates summed in any order" partition/row_order.cpp \
  'for (Offset k = 0; k < length; ++k) entries.' \
  'for (Offset k = length; k-- > 0;) entries.'
fault "reversed column order" partition/row_order.cpp \
  'return a.first < b.first; });' \
  'return a.first > b.first; });'
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
  'static_cast<std::uint64_t>(matrix.source_rows[row])' \
  'static_cast<std::uint64_t>(row)'
fault "nnz cuts inside a block" partition/partitioner_nnz.cpp \
  'row < rows; row += block' \
  'row < rows; row += 1'
fault "fp16 ties go away from zero" partition/base/numbers.cpp \
  'std::nearbyint(' \
  'std::round('
fault "subnormals keep all digits" partition/base/numbers.cpp \
  'std::max(std::ilogb(value), shape.smallest_exponent)' \
  'std::ilogb(value)'
fault "metis without weights" partition/partitioner_metis.cpp \
  'graph.neighbours.data(), graph.weights.data(),' \
  'graph.neighbours.data(), nullptr,'
fault "metis takes the first objective for both" partition/partitioner_metis.cpp \
  'settings[METIS_OPTION_OBJTYPE] = objective;' \
  'settings[METIS_OPTION_OBJTYPE] = choices.objectives.front();'
fault "ptscotch without weights" partition/partitioner_ptscotch.cpp \
  'share.weights.data(), nullptr, edges, edges, share.neighbours.data(),' \
  'nullptr, nullptr, edges, edges, share.neighbours.data(),'
fault "ptscotch forgets the imbalance" partition/partitioner_ptscotch.cpp \
  'choices.imbalance - 1),' \
  '0.3),'
fault "rows of a block on two parts" partition/block_graph.cpp \
  'const std::size_t v = row / matrix.info.block;' \
  'const std::size_t v = (row + (row + 1 < owners.size())) / matrix.info.block;'
fault "transposed edges of the first vertex lost" partition/block_graph.cpp \
  'return edge.vertex >= 0; }' \
  'return edge.vertex > 0; }'
fault "transposed edge of the next vertex" partition/block_graph.cpp \
  'while (*next <= k) ++next;' \
  'while (*next < k) ++next;'
fault "boxes share an owner" partition/partitioner_box.cpp \
  'boxes[0] * (layers[1].box(place[1]) + boxes[1] * layers[2].box(place[2]));' \
  'boxes[0] * (layers[1].box(place[1]) + boxes[0] * layers[2].box(place[2]));'
fault "box forgets the weights" partition/partitioner_box.cpp \
  'direction.cut(comm);' \
  'direction.cut_evenly();'
fault "owners in a file split a block" partition/partitioner_file.cpp \
  'if (owners.back() != block_owner_)' \
  'if (owners.back() < block_owner_)'
fault "flows the wrong way round" partition/quality.cpp \
  'flows.push_back({column_parts.of_kept(need.column), need.to, 1});' \
  'flows.push_back({need.to, column_parts.of_kept(need.column), 1});'
fault "flows from two ranks counted once" partition/quality.cpp \
  'flows[kept - 1].entries += flow.entries;' \
  'flows[kept - 1].entries = flow.entries;'
fault "time in counted for the sender" partition/assignment.cpp \
  'slowest = std::max({slowest, memory, out, in});' \
  'slowest = std::max({slowest, memory, out + in});'
fault "what nodes receive counts as sent" partition/nodes.cpp \
  'count(inside ? to.received_inside : to.received_between, flow);' \
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
fault "minus zero has no partner" partition/matrix_statistics.cpp \
  'matrix.values[k] + 0.0;' \
  'matrix.values[k];'
fault "longest row of a bucket one too long" partition/matrix_statistics.cpp \
  '2 * (shortest - 1) + 1;' \
  '2 * shortest;'

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
fault "gap as wide as the code lost" kernels/cpu/asell_code.cpp \
  'for (; delta >= escape<Delta>; delta -= escape<Delta>) step();' \
  'for (; delta > escape<Delta>; delta -= escape<Delta>) step();'
fault "rows of a block have their own offsets" kernels/asell_code.hpp \
  'return row - row % block;' \
  'return row + 0 * block;'
fault "asell never takes bytes" kernels/cpu/asell_code.cpp \
  'consider(IndexCode::bytes, delta_steps<std::uint8_t>' \
  'if (false) consider(IndexCode::bytes, delta_steps<std::uint8_t>'
fault "lanes of asell without an entry are summed" kernels/cpu/asell_kernel.hpp \
  'sums[group] = flags != 0 ? sums[group] : before;' \
  'sums[group] = flags != 1 << 30 ? sums[group] : before;'
fault "mask of AVX-512 shifted" kernels/cpu/avx512.hpp \
  '_mm512_loadu_pd(sums), static_cast<__mmask8>(mask)));' \
  '_mm512_loadu_pd(sums), static_cast<__mmask8>(mask >> 1)));'
fault "-0 taken for +0" kernels/cpu/value_codes.hpp \
  'const Bits bits = std::bit_cast<Bits>(values[e]);' \
  'const Bits bits = std::bit_cast<Bits>(values[e] + T{0});'
fault "asell never sorts" kernels/cpu/asell.cpp \
  'if (fewest <= wanted || candidate >= list.count) break;' \
  'if (candidate >= 1) break;'
fault "padding touches x" kernels/cpu/lanes.hpp \
  'gathered = sign < 0 ? -Vector{} : gathered;' \
  'gathered = sign < 0 ? Vector{} * gathered : gathered;'
fault "padding of a strip touches x" kernels/cpu/lanes.hpp \
  'own = bit == 0 ? -Vector{} : own;' \
  'own = bit == 0 ? Vector{} * own : own;'
fault "the longer shares come last" kernels/balanced_shares.hpp \
  '(part < longer ? part : longer)' \
  '(part < longer ? 0 : part - longer)'
fault "shares are no whole rounds of the warps" kernels/balanced_shares.cpp \
  'std::min(chunks, rounds * warps)' \
  'std::min(chunks, chunks / wanted)'
fault "a split row begins where it goes on" kernels/balanced_shares.cpp \
  'split_rows.push_back({rank, share - 1, share});' \
  'split_rows.push_back({rank, share, share});'
fault "rows split by one share are one" kernels/balanced_shares.cpp \
  'split_rows.empty() || split_rows.back().rank != rank' \
  'split_rows.empty() || split_rows.back().last + 1 != share'
fault "shares of long rows change places in a block" kernels/balanced_shares.cpp \
  'order[place] = together[begin + k];' \
  'order[place] = together[begin + count - 1 - k];'
fault "block taken for full" kernels/block_cover.cpp \
  'return block.mask == ~std::uint64_t{0} >> (64 - b_ * b_);' \
  'return (block.mask | 1) == ~std::uint64_t{0} >> (64 - b_ * b_);'
fault "block size of the most bytes" kernels/block_size.cpp \
  'other.bytes < best.bytes' \
  'other.bytes > best.bytes'
fault "blocks are cheaper than they are" kernels/block_size.cpp \
  'if (best.bytes < csr) return best.size;' \
  'if (best.fill > 0) return best.size;'
fault "samples count no masks" kernels/block_size.cpp \
  'sample.masks += cover.is_full(block) ? 0 : 1;' \
  'sample.masks += 0;'
fault "last column of the block forgotten" kernels/cpu/hyb_kernel.hpp \
  'for (; k < a.width; ++k, slot += lanes)' \
  'for (; k + 1 < a.width; ++k, slot += lanes)'
fault "last row of a jagged diagonal lost" kernels/cpu/jds.cpp \
  'static_cast<LocalIndex>(std::min(lanes, longer - first))' \
  'static_cast<LocalIndex>(std::min(lanes, longer - first - 1))'
fault "list of hyb starts anew" kernels/cpu/hyb_kernel.hpp \
  'T sum = sums[row - first];' \
  'T sum = 0;'
fault "width of hyb by the short rows" kernels/cpu/hyb.cpp \
  'std::greater<>()' \
  'std::less<>()'
fault "ell pads without a limit" kernels/cpu/ell.cpp \
  '{std::int64_t{width} * rows.count, listed' \
  '{listed_nonzeros(matrix, rows), listed'
fault "position taken for a row" kernels/cpu/jds.cpp \
  'rows_[next[length(row)]++] = row;' \
  'rows_[next[length(row)]++] = k;'
fault "last coordinate of a chunk lost" kernels/cpu/hyb_kernel.hpp \
  'const Offset end = a.begins[chunk + 1];' \
  'const Offset end = a.begins[chunk + 1] - 1;'
fault "first row of a mask ignored" kernels/cpu/dia.cpp \
  'if (mask == whole_strip) {' \
  'if ((mask | 1) == whole_strip) {'
fault "mask of a block transposed" kernels/cpu/bsr.cpp \
  '(mask >> (i * b + j) & 1)' \
  '(mask >> (j * b + i) & 1)'
fault "mask of the last columns ignored" kernels/cpu/dense.cpp \
  'if (slots == Slots::may_be_empty && (masks[whole] >> l & 1) == 0) continue;' \
  ''

fault "little padding is refused" kernels/options.cpp \
  'times <= limit || bytes <= harmless_bytes' \
  'times <= limit'
fault "much padding is taken where it is few bytes" kernels/options.cpp \
  'times <= limit || bytes <= harmless_bytes' \
  'bytes <= harmless_bytes'
fault "slots cost the same in fp32" kernels/options.cpp \
  'matrix_value_bytes(padding.matrix.precision)' \
  'sizeof(double)'
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
fault "heavy rows stand in their parts' first row" io/sources/heavy_rows.hpp \
  'row % part == part / 2' \
  'row % part == 0'
fault "overlong last word of a band" io/sources/banded.cpp \
  'if (last - first < 63)' \
  'if (last - first < 62)'
fault "pieces of .h5 read from the first" io/hdf5_array.hpp \
  'read_piece(array, first + done, size,' \
  'read_piece(array, first, size,'
fault "pieces of .h5 written over the first" io/hdf5_array.hpp \
  'write_piece(array, first + done, size,' \
  'write_piece(array, first, size,'
fault "offsets in .h5 count from the rank" io/hdf5_matrix.cpp \
  'return begin + matrix.offsets[k];' \
  'return matrix.offsets[k];'
fault "values of .h5 from the start of the file" io/hdf5_matrix.cpp \
  'open_array(group.get(), "data", place), begin, nonzeros' \
  'open_array(group.get(), "data", place), 0, nonzeros'
fault "no look between two pieces of .h5" io/hdf5_matrix.cpp \
  'std::int64_t falls = falls_at(0);' \
  'std::int64_t falls = 0;'
fault "columns of .h5 beyond the last" io/hdf5_matrix.cpp \
  ' | (last_column - static_cast<Bits>(column))' \
  ' | (last_column & 0)'
fault "columns of a 64-bit .petsc sought too early" io/petsc_format.hpp \
  'return length_at(rows) + entry * index_bytes;' \
  'return length_at(rows) + entry * 4;'
fault "values of .petsc little-endian" io/petsc_pieces.cpp \
  'numbers[k] = big_endian(get(begin + k));' \
  'numbers[k] = get(begin + k);'
fault "32-bit .petsc for long matrices" io/petsc_format.cpp \
  'std::max({rows, columns, nonzeros}) > largest_int32' \
  'std::max(rows, columns) > largest_int32'
fault "sign of zero lost in .mtx" io/matrix_market_writer.cpp \
  '!(value == 0 && std::signbit(value));' \
  'true;'
fault "rounds of .mtx overlap" io/matrix_market_writer.cpp \
  'offset += sum_over_ranks(comm, bytes);' \
  'offset += bytes;'
fault "inner control group overrules the outer" io/host_memory.cpp \
  'bytes = std::min(bytes, bytes_in(mount + group + "/", files));' \
  'if (bytes == no_limit) bytes = bytes_in(mount + group + "/", files);'
fault "PETSc's copy is not counted against the control group" io/host_memory.cpp \
  'return std::min(kibibytes * 1024, available_cgroup_bytes(root, membership));' \
  'return kibibytes * 1024;'
fault "a control group's usage is free" io/host_memory.cpp \
  'limit - used + number_of' \
  'limit + number_of'
fault "any controller limits memory" io/host_memory.cpp \
  'controllers.find(",memory,")' \
  'controllers.find("memory")'
fault "hard links are other files" io/aliases.cpp \
  'return Identity{status.st_dev, status.st_ino, ""};' \
  'return Identity{status.st_dev, status.st_ino, path};' \
  test_io
fault "a device can be named only once" io/aliases.cpp \
  'if (S_ISCHR(status.st_mode)) return std::nullopt;' \
  '' \
  test_io
fault "files that are not there yet are never the same" io/aliases.cpp \
  'return Identity{status.st_dev, status.st_ino, target.substr(name)};' \
  'return std::nullopt;' \
  test_io
fault "inputs may not share a file" io/aliases.cpp \
  'return a.role == b.role && a.role != FileRole::output;' \
  'return a.role == b.role && a.role == FileRole::stream;' \
  test_io
fault "a new group overwrites the file" io/hdf5_target.cpp \
  'begun = copy_into(file, location.file, progress);' \
  'file.write(hdf5_image(location.file, [](hid_t) {}));' \
  test_hdf5_n1
fault "HDF5 meets a full disk" io/hdf5_target.cpp \
  'file.reserve(begun + headers_bytes + bytes);' \
  'file.reserve(begun + 1);' \
  cli_outputs
fault "the temporary file may have become a link" io/output_file.cpp \
  'O_WRONLY | O_NOFOLLOW | O_CLOEXEC' \
  'O_WRONLY | O_CLOEXEC' \
  test_io
fault "an output replaces the link to its target" io/temporary_file.cpp \
  'target_(followed(path))' \
  'target_(path)' \
  test_io
fault "an output loses its permissions" io/temporary_file.cpp \
  'if (mode_ != 0) (void)::chmod(name_.c_str(), mode_);' \
  '' \
  test_io
fault "what a living run writes is removed" io/temporary_file.cpp \
  'if (has_ended(pid, start)) ::unlink' \
  '::unlink' \
  test_io
fault "a process number that is used again is the old process" io/temporary_file.cpp \
  "process->state == 'X' || process->start != start" \
  "process->state == 'X'" \
  test_io
fault ".info appears without its matrix" io/petsc_binary_writer.cpp \
  'write(fmt::format("-matload_block_size {}\n", block));' \
  'write(fmt::format("-matload_block_size {}\n", block)), file->rename_to_path(), file.reset();' \
  test_files_n1

# --- miniapp/
fault "stale halo: packed for one vector only" miniapp/halo/host_exchange.cpp \
  'if (contiguous_[k]) continue;' \
  'if (contiguous_[k] || x.slot > 0) continue;'
fault "exchange not waited for" miniapp/halo/mpi.cpp \
  'MPI_Waitall(checked_cast<int>(requests_.size(), "requests")' \
  'MPI_Waitall(checked_cast<int>(requests_.size() / 2, "requests")'
fault "neighbourhood collective sends and receives at one place" miniapp/halo/mpi_neighbor.cpp \
  '(ends[k].address - buffer)' \
  '(ends[0].address - buffer)'
fault "device addresses for any MPI" miniapp/halo/mpi_cuda.cpp \
  'return site.no_device_messages;' \
  'return {};'
fault "no overlap on CPUs either" miniapp/choose.cpp \
  'site.device == Device::cpu || wanted' \
  'wanted'
fault "one rank of a node sends all" miniapp/halo/node_plan.cpp \
  'return ranks[distance(from, to) % ranks.size()];' \
  'return ranks[0];'
fault "an agent delivers what came first" miniapp/halo/node_plan.cpp \
  'result.scattered.push_back(delivery.base + position);' \
  'result.scattered.push_back(position);'
fault "an entry that is known is packed again" miniapp/halo/node_plan.cpp \
  'if (letter.back() == before) result.entries.push_back(entry);' \
  'result.entries.push_back(entry);'
fault "traffic to one node only" miniapp/halo/node_plan.cpp \
  'traffic.entries += piece.count;' \
  'traffic.entries = piece.count;'
fault "node-aware reports what the plan says" miniapp/run.cpp \
  'measurement.sent_between_nodes' \
  '{}' \
  cli_halo
fault "validator accepts too much" miniapp/validation.hpp \
  'return max <= 1;' \
  'return max <= 1e6;'
fault "bound of a row is gamma again" miniapp/validation.cpp \
  'const double relative = relative_bound(precision, entries);' \
  'const double relative = relative_bound(precision, entries) / (1 - relative_bound(precision, entries) / 2);'
fault "underflow is not scaled by alpha" miniapp/validation.cpp \
  'std::max(1.0, std::abs(alpha))' \
  '1.0'
fault "unchecked rows count as checked" miniapp/validation.cpp \
  'rows - all_unchecked, all_unchecked' \
  'rows, all_unchecked'
fault "bits of long rows are not compared" miniapp/validation.cpp \
  'return canonical_bits(y) == canonical_bits(expected) ? 0 : infinity;' \
  'return 0;'
fault "every format promises the bits of csr" miniapp/distributed_spmv.cpp \
  'kernels.canonical = format.canonical && !parts;' \
  'kernels.canonical = !parts;'
fault "boundary format promises the interior's bits" miniapp/distributed_spmv.cpp \
  'kernels.canonical = kernels.canonical && format.canonical;' \
  ''
fault "unchecked rows are not said" miniapp/run.cpp \
  'if (unchecked > 0) report_.verdict +=' \
  'if (unchecked < 0) report_.verdict +=' \
  cli_validation
fault "slow formats are measured in full" miniapp/kernels_command.cpp \
  'far_behind(seconds) ? batches_of_slow : options_.batches' \
  'options_.batches' \
  cli_schema
fault "kernels forgets what is asked of batches" miniapp/options_run.cpp \
  'options.measuring_given = true;' \
  'options.measuring_given = false;' \
  cli_schema
fault "rank without messages starts none" miniapp/halo/mpi_persistent.cpp \
  'if (requests.empty()) return;' \
  ''
fault "watchdog sleeps" miniapp/watchdog.cpp \
  'if (idle_seconds >= limit)' \
  'if (idle_seconds >= 100 * limit)' \
  cli_failures
fault "watchdog overlooks the start of MPI" miniapp/watchdog.cpp \
  '(progress_.in_library() ? 10 : 1)' \
  '(progress_.in_library() ? 10 : progress_.phase()[0] == *"start" ? 1e6 : 1)' \
  faults_short
fault "watchdog overlooks the end of MPI" miniapp/environment.cpp \
  'progress_.phase("end MPI");' \
  '' \
  faults_short
fault "outside of MPI every rank is the first" miniapp/environment.cpp \
  'int rank = launched_rank();' \
  'int rank = 0;' \
  faults_short
fault "an error is silent about its phase" miniapp/environment.cpp \
  "error: %s (phase '%s')\\n" \
  'error: %s %.0s\n' \
  faults_short
fault "memory of a node keeps its name" miniapp/halo/node_memory.cpp \
  'memfd_create("rowhalo", MFD_CLOEXEC)' \
  'open(fmt::format("/dev/shm/rowhalo{}", getpid()).c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600)' \
  faults_short
fault "the hook of the tests is shipped" miniapp/CMakeLists.txt \
  'add_executable(rowhalo main.cpp)' \
  'add_executable(rowhalo main.cpp ../tests/faults/held_phases.cpp)' \
  faults_short
fault "scattered y saved in the rank's order" miniapp/run.cpp \
  'deal_out<double>(comm_, matrix_.info.rows, matrix_.source_rows, y)' \
  'y' \
  cli_scipy
fault "convert overwrites what a link names" io/aliases.cpp \
  'if (::stat(path.c_str(), &status) == 0) {' \
  'if (::lstat(path.c_str(), &status) == 0) {' \
  cli_convert
fault "ghosts need no memory" miniapp/memory_model.cpp \
  'local_columns = share.columns + share.ghosts;' \
  'local_columns = share.columns;'
fault "messages inside nodes count all" miniapp/statistics.cpp \
  'quality.messages - between.messages;' \
  'quality.messages;' \
  cli_info
fault "auto takes the last format" miniapp/format_trials.cpp \
  'if (best_ && best_->seconds <= attempt->seconds) return;' \
  ''
fault "auto takes the format that suits the first rank" miniapp/batches.cpp \
  'return max_over_ranks(with.comm, run_batch(with, iterations, products)) / iterations;' \
  'return run_batch(with, iterations, products) / iterations;'
fault "auto spends more than its budget" miniapp/format_trials.cpp \
  'return max_seconds_since(start_) + expected <= limit;' \
  'return max_seconds_since(start_) <= 1e3 * limit + 1;'
fault "auto keeps nothing when it made room in vain" miniapp/format_trials.cpp \
  'if (const auto refusal = make(*best_)) throw *refusal;' \
  'if (false) throw 0;'
fault "auto gives up where memory lacks" miniapp/format_trials.cpp \
  'refusal->code() != out_of_memory || !best_ || made_room_) return refusal;' \
  'refusal->code() == out_of_memory || !best_ || made_room_) return refusal;'
fault "auto drops a format for its boundary rows" miniapp/format_trials.cpp \
  'if (!boundary_refusal || boundary_refusal->code() == out_of_memory) return boundary_refusal;' \
  'if (true) return boundary_refusal;'
fault "auto tries the hopeless" miniapp/format_trials.cpp \
  'if (quickest_.entry == nullptr || times <= hopeless) return "";' \
  'if (true) return "";'
fault "auto begins with the worst" miniapp/format_trials.cpp \
  'return a.predicted < b.predicted;' \
  'return a.predicted > b.predicted;'
fault "auto pays for conversions before it looks at CSR" miniapp/format_trials.cpp \
  '[](const Prospect& prospect) { return prospect.reads_csr; });' \
  '[](const Prospect&) { return false; });'
fault "auto waits for what is far behind" miniapp/format_trials.cpp \
  'if (is_far()) return;' \
  ''
fault "slices as long as their last rows" kernels/work.cpp \
  'longest_of_32 = std::max(longest_of_32, longest_of_8);' \
  'longest_of_32 = longest_of_8;'
fault "diagonals are predicted once too often" kernels/statistics.cpp \
  'diagonals.push_back(std::int64_t{host.indices[e]} - row);' \
  'diagonals.push_back(std::int64_t{host.indices[e]} + row);'
fault "columns that neighbouring rows share count as gathers" kernels/statistics.cpp \
  'const bool shared = 2 * all <= entries;' 'const bool shared = all < 0;'
fault "dia predicts more than it stores" kernels/predictions.cpp \
  'const double slots = std::max(static_cast<double>(s.diagonals) * s.rows, nonzeros(s));' \
  'const double slots = 50 * std::max(static_cast<double>(s.diagonals) * s.rows, nonzeros(s));'
fault "value codes count for the ratio" jobs/classes/results.py \
  'return "codes" if twin' \
  'return "ours" if twin' \
  cli_classes
fault "a run that ended early counts as complete" jobs/classes/running.py \
  'set(formats) <= names_in(report)' \
  'names_in(report)' \
  cli_classes
fault "ghosts replace what the owned columns gave" miniapp/distributed_spmv.cpp \
  'add ? 1.0 : beta' \
  'add ? 0.0 : beta'
fault "first ghost counts as owned" miniapp/column_split.cpp \
  'column >= matrix.owned_columns' \
  'column > matrix.owned_columns'
fault "poison spares the last ghost" miniapp/disturbance.cpp \
  'static_cast<std::size_t>(x.ghosts) * x.element_bytes' \
  'static_cast<std::size_t>(x.ghosts - 1) * x.element_bytes'
fault "all ranks are late together" miniapp/disturbance.cpp \
  'static_cast<std::uint64_t>(rank) + 1' \
  'static_cast<std::uint64_t>(rank >= 0)'
fault "jitter in nanoseconds" miniapp/run.cpp \
  '{options_.poison, 1e-6 * options_.jitter_microseconds}' \
  '{options_.poison, 1e-9 * options_.jitter_microseconds}' \
  cli_schedules
fault "all of a product is exposed" miniapp/measurement.cpp \
  '1 - without.median() / with.median()' \
  '1 + 0 * without.median() / with.median()' \
  cli_schedules
fault "10 million nonzeros are many already" miniapp/format_trials.cpp \
  'most_entries > many_entries' \
  'most_entries >= many_entries' \
  test_miniapp_n1
fault "a baseline claims the bits of all" miniapp/run.cpp \
  'if (entry_of(kernels.kernels.schedule).baseline) {' \
  'if (false) {' \
  cli_schedules
fault "timeline: messages fly before they are packed" miniapp/trace.cpp \
  'if (phase == Phase::pack) packed = end;' \
  '' \
  cli_schedules
fault "HDF5: batches x ranks" io/report_hdf5.cpp \
  'shape[] = {ranks, seconds.size() / ranks}' \
  'shape[] = {seconds.size() / ranks, ranks}' \
  cli_results
fault "a rank reports whole batches" miniapp/batches.cpp \
  'times.own_seconds.push_back(elapsed / times.iterations)' \
  'times.own_seconds.push_back(elapsed)'
fault "products are timed on the user's x" miniapp/products.cpp \
  'set_x(timed_x(setting).data());' \
  'set_x(setting.x.data());'
fault "ghosts of the first vector only are compared" miniapp/products.cpp \
  'if (!std::equal(ghosts.begin(), ghosts.end(), setting_.x.begin() + owned)) return false;' \
  'return std::equal(ghosts.begin(), ghosts.end(), setting_.x.begin() + owned);'
fault "ghosts are compared with the owned entries" miniapp/products.cpp \
  'setting_.x.begin() + owned)' \
  'setting_.x.begin())'
fault "another y than the timed one is checked" miniapp/products.cpp \
  'sequence_->run(run.products);' \
  'if (setting_.stream.handle == nullptr) spmv_.apply(alpha_, vectors_[0], beta_, y_.data(), setting_.stream);'
fault "wrong ghosts are no fault of the sequence" miniapp/measurement.cpp \
  'if (!measurement.checked.ghosts_are_right) {' \
  'if (!measurement.checked.ghosts_are_right && measurement.y.empty()) {'
fault "auto takes a transport that leaves wrong ghosts" miniapp/transport_trials.cpp \
  'if (!ghosts_are_right(*attempt)) {' \
  'if (!ghosts_are_right(*attempt) && attempt->iterations < 0) {'
fault "auto keeps the slowest transport" miniapp/transport_trials.cpp \
  'attempt->seconds < best_->seconds) std::swap' \
  'attempt->seconds > best_->seconds) std::swap'
fault "a transport without room ends the job" miniapp/transport_trials.cpp \
  '  } catch (const AgreedError& refusal) {
    candidate.reason = refusal.what();' \
  '  } catch (const InputError& refusal) {
    candidate.reason = refusal.what();'
fault "failures beside the host's calls are not looked for" miniapp/batches.cpp \
  '  products.check();
  return seconds;' \
  '  return seconds;'
fault "NaN is in every range" miniapp/options_shared.hpp \
  'value >= low && value <= high;' \
  '!(value < low || value > high);'
fault "any number of threads" miniapp/device.cpp \
  'if (threads > most_threads) {' \
  'if (false) {' \
  cli_bad_input
fault "OpenMP ends the process" miniapp/device.cpp \
  'while (std::ssize(started) < threads - 1) {' \
  'while (std::ssize(started) < 0) {' \
  cli_bad_input
fault "PETSc's one thread is not mentioned" miniapp/session.cpp \
  'if (threads == 1) return {};' \
  'if (threads >= 1) return {};' \
  cli_schedules
fault "errors of products in a row do not add up" miniapp/validation.cpp \
  'error *= std::abs(beta);' \
  'error = 0;'
fault "a product in a row too few is compared" miniapp/validation.cpp \
  'for (int k = 0; k < products; ++k) {' \
  'for (int k = 1; k < products; ++k) {'
fault "y of products in a row is not looked at" miniapp/validation.cpp \
  'return error > 0 && !std::isnan(ratio) ? ratio : infinity;' \
  'return 0;'
fault "an output that fails ends the others" miniapp/outputs.cpp \
  'lost_.push_back({option, error.what()});' \
  'throw error;' \
  test_miniapp_n1
fault "a lost output outranks a wrong y" miniapp/outputs.cpp \
  'return code == ExitCode::fine && !lost_.empty()' \
  'return !lost_.empty()' \
  test_miniapp_n1
fault "stdout that fails counts as written" miniapp/outputs.cpp \
  'if (!print_error_) print_error_ = error.what();' \
  '(void)error;' \
  cli_outputs
fault "FOM and RESULT are lost with stdout" miniapp/outputs.cpp \
  'if (print_error_ && descriptor_ == STDOUT_FILENO) text +=' \
  'if (false) text +=' \
  cli_outputs
fault "lost outputs are not named" miniapp/outputs.cpp \
  '"rowhalo: {} was not written: {}\n", lost.option, lost.reason' \
  '"rowhalo: an output was not written: {}\n", lost.reason' \
  cli_outputs
fault "a broken pipe kills the run" miniapp/outputs.cpp \
  'std::signal(SIGPIPE, SIG_IGN);' \
  '' \
  cli_outputs
fault "a file takes the number of a closed stdout" miniapp/outputs.cpp \
  'if (::fcntl(descriptor, F_GETFD) < 0)' \
  'if (false)' \
  cli_outputs
fault "help into a full disk exits with 0" miniapp/outputs.cpp \
  'return error.code();' \
  'return ExitCode::fine;' \
  cli_outputs
fault "a place in an HDF5 file is a file of its own" miniapp/named_files.cpp \
  'files.push_back({option, hdf5_location(*path).file, FileRole::output});' \
  'files.push_back({option, *path, FileRole::output});' \
  cli_outputs
fault "the .info file of a matrix is overwritten" miniapp/named_files.cpp \
  'if (path.ends_with(".petsc")) files.push_back' \
  'if (false) files.push_back' \
  cli_outputs
# --- jobs/
fault "what became faster is a regression" jobs/compare.py \
  'ratio = after.seconds / before.seconds' \
  'ratio = before.seconds / after.seconds' jobs_compare
fault "efficiency forgets the ranks" jobs/plotting/scaling.py \
  'measured(rows).seconds / ranks' \
  'measured(rows).seconds' jobs_plot
fault "resume runs what is done again" jobs/studying/submitting.py \
  '.word in ("not submitted", "error", "cut off")]' \
  '.word in ("not submitted", "error", "cut off", "done")]' jobs_study_local
fault "weak sizes do not grow with the ranks" jobs/studying/sizes.py \
  'wanted = study.per_rank * ranks' 'wanted = study.per_rank' jobs_study
fault "claims are ignored" jobs/studying/claims.py \
  'if lock is not False and is_current(file, path):' \
  'if is_current(file, path):' jobs_claims
fault "the dead of other hosts keep their claims" jobs/studying/claims.py \
  'return lock is None and (' 'return (' jobs_claims
fault "ranks keep the claim on a point" jobs/run.sh \
  'eval "main \"\$@\" ${claim:+$claim>&-}"' 'main "$@"' jobs_claims
fault "earlier results are deleted" jobs/shell/whole_files.sh \
  'mv -- "${found[@]}" "$place"' 'rm -r -- "${found[@]}"' jobs_run
fault "earlier results are moved before the arguments are checked" jobs/run.sh \
  '  build_launcher
  check_arguments' '  build_launcher' jobs_run
fault "a refusal marks an earlier run" jobs/run.sh \
  '[ -e "$output/done" ] || write_marker error "$@"' 'write_marker error "$@"' jobs_run
fault "temporary file follows a planted link" jobs/whole_files.py \
  'os.O_EXCL | os.O_NOFOLLOW' 'os.O_TRUNC' jobs_whole_files
fault "files of running processes are stale" jobs/shell/whole_files.sh \
  ' && [ ! -d "/proc/$pid" ]' '' jobs_whole_files

# --- on a GPU machine: planted.sh --gpu; two GPUs see all of them
gpu_fault "exchange missing from the capture" miniapp/products.cpp \
  'spmv_.apply(alpha_, vectors_[k % 2], beta_, y_.data(), setting_.stream);' \
  'if (single_++ < 2) { spmv_.apply(alpha_, vectors_[k % 2], beta_, y_.data(), setting_.stream); } else { apply_local(kernels_, alpha_, vectors_[k % 2], beta_, y_.data(), setting_.stream); }' \
  test_exchange_gpu_n2
gpu_fault "all products of a graph on the first vector" miniapp/product_sequence.cpp \
  'for (int k = 0; k < step_; ++k) product_(k);' \
  'for (int k = 0; k < step_; ++k) product_(0);' \
  test_exchange_gpu_n2
gpu_fault "half of the products in the graph" miniapp/product_sequence.cpp \
  'for (int k = 0; k < step_; ++k) product_(k);' \
  'for (int k = 0; k < step_ / 2; ++k) product_(k);' \
  test_exchange_gpu_n2
gpu_fault "first ghost never comes as a line" miniapp/halo/p2p_kernels.cu \
  'if (landing.ghost >= 0) arguments' \
  'if (landing.ghost > 0) arguments' \
  test_exchange_gpu_n2
gpu_fault "last entry of a chunk is not stored" miniapp/halo/p2p_kernels.cu \
  'if (k < chunk.count) ghosts[k] = words[u];' \
  'if (k + 1 < chunk.count) ghosts[k] = words[u];' \
  test_exchange_gpu_n2
gpu_fault "nccl sends the first entries of x" miniapp/halo/nccl.cpp \
  'context_.plan.send_indices[send.begin] * context_.element_bytes' \
  '0 * context_.element_bytes' \
  test_exchange_gpu_n2
