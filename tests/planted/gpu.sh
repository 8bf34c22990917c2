# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# Faults that planted.sh plants in products and transports on GPUs, for a machine with two of them: planted.sh --gpu

gpu_fault "exchange missing from the capture" miniapp/tune/products.cpp \
  'const auto product = [this](std::int64_t k) { apply(k); };' \
  'const auto product = [this](std::int64_t k) { if (single_++ < 2) { apply(k); } else { apply_local(kernels_, this->product(k), setting_.stream); } };' \
  test_exchange_gpu_n2
gpu_fault "all products of a graph on the first vector" miniapp/tune/timing.cpp \
  'for (int k = 0; k < step_; ++k) product_(k);' \
  'for (int k = 0; k < step_; ++k) product_(0);' \
  test_exchange_gpu_n2
gpu_fault "half of the products in the graph" miniapp/tune/timing.cpp \
  'for (int k = 0; k < step_; ++k) product_(k);' \
  'for (int k = 0; k < step_ / 2; ++k) product_(k);' \
  test_exchange_gpu_n2
gpu_fault "first ghost never comes as a line" miniapp/halo/p2p/lines.cu \
  'if (landing.ghost >= 0) arguments' \
  'if (landing.ghost > 0) arguments' \
  test_exchange_gpu_n2
gpu_fault "last entry of a chunk is not stored" miniapp/halo/p2p/chunks.cu \
  'if (k < count) ghosts[k] = words[u];' \
  'if (k + 1 < count) ghosts[k] = words[u];' \
  test_exchange_gpu_n2
gpu_fault "later chunks of a thread block are not signalled" miniapp/halo/p2p/chunks.cu \
  'c < a.chunk_count;
       c +=' \
  'c < gridDim.x;
       c +=' \
  test_exchange_gpu_n2
gpu_fault "peers store ghosts where x was first" miniapp/halo/p2p.cpp \
  'layout_.first_bytes + context_' \
  'context_' \
  test_exchange_gpu_n2
gpu_fault "nccl sends the first entries of x" miniapp/halo/message_exchange.cpp \
  'plan.send_indices[send.begin] * x.element_bytes()' \
  '0 * x.element_bytes()' \
  test_exchange_gpu_n2
gpu_fault "sums beside rows are those of the product before" miniapp/spmv/steps.cpp \
  '{Step::sums_for_others, beside},' \
  '' \
  test_miniapp_gpu_n2
gpu_fault "the last part of a sum is left out" kernels/gpu/vectors/vector_steps.cu \
  'loaded[j] = b < parts ?' \
  'loaded[j] = b + 1 < parts ?' \
  test_miniapp_gpu_n2
gpu_fault "sums over ranks miss the peers" kernels/gpu/vectors/vector_steps.cu \
  'sum = from == 0 ? word : sum + word;' \
  'sum = from == 0 ? word : sum;' \
  test_miniapp_gpu_n2
gpu_fault "fp32 that is nearly exact" kernels/gpu/values/exact_values.cu \
  'if (__double_as_longlong(single) != __double_as_longlong(value)) *inexact = 1;' \
  'if (!(fabs(single - value) < 1e-6)) *inexact = 1;' \
  test_kernels_gpu
gpu_fault "codes of the last entries of a lane are those of the first" kernels/gpu/values/exact_values.cu \
  'in_chunk % lane_entries * warp_size' \
  'in_chunk % 4 * warp_size' \
  test_kernels_gpu
gpu_fault "16 bits of every other entry are lost" kernels/gpu/values/exact_values.cu \
  'return fixed.code(value);' \
  'return fixed.code(value) & 0xfffe;' \
  test_kernels_gpu
gpu_fault "one block's range of values stands for all" kernels/gpu/values/exact_values.cu \
  'for (const ValueRange<T>& range : of_blocks.to_host()) all.add(range);' \
  'all.add(of_blocks.to_host().front());' \
  test_kernels_gpu
gpu_fault "memory that serves again is too small" kernels/gpu/device/runtime.cpp \
  'kept.lower_bound(bytes);' \
  'kept.lower_bound(bytes / 2);' \
  test_kernels_gpu
gpu_fault "memory that was freed is kept for ever" kernels/gpu/device/runtime.cpp \
  '  if (!outermost_) return;' \
  '  return;' \
  test_kernels_gpu
gpu_fault "columns with few entries are hubs" kernels/gpu/csr_balanced/hub_columns.cu \
  'const bool busy = count > fewest;' \
  'const bool busy = count > 0;' \
  test_kernels_gpu
gpu_fault "asell reads the 16 bits of its first steps again" kernels/gpu/asell/asell.cu \
  'codes += unroll * warp_size;' \
  '' \
  test_kernels_gpu
gpu_fault "csr-packed takes the 16 bits of its first slots" kernels/gpu/csr/packed_slots.cuh \
  'four.at[j] = code.value(stored.at[j]);' \
  'four.at[j] = code.value(stored.at[j & 1]);' \
  test_kernels_gpu
gpu_fault "csr-packed forgets a slot of each lane" kernels/gpu/csr/packed_slots.cuh \
  'four.at[j] = table[word >> (8 * j) & 0xff];' \
  'four.at[j] = table[word >> (8 * (j & 1)) & 0xff];' \
  test_kernels_gpu
gpu_fault "slices that lack a step of some rows count as whole" kernels/gpu/asell/asell_measure.cu \
  'in_each &= mask;' \
  '' \
  test_kernels_gpu
gpu_fault "slices with as many steps count as the same" kernels/gpu/asell/asell_by_step.cu \
  'same && slice[r].codes == slice[0].codes && ' \
  'same && ' \
  test_kernels_gpu
gpu_fault "the second slice of a warp leaves no dot" kernels/gpu/asell/asell_by_step.cu \
  'if (lane == 0) a.dots[first + r] = dot;' \
  'if (lane == 0 && r == 0) a.dots[first + r] = dot;' \
  test_kernels_gpu
gpu_fault "a last step alone is left out" kernels/gpu/asell/asell_by_step.cu \
  'if (left > 0) add_batch' \
  'if (left > 1) add_batch' \
  test_kernels_gpu
gpu_fault "values by step are never tried" kernels/gpu/asell/asell_measure.cu \
  'if (code == ValueCode::by_step) {' \
  'if (code == ValueCode::by_step) code = ValueCode::dictionary; if (false) {' \
  test_kernels_gpu
gpu_fault "a lane is missing in p.q" kernels/gpu/asell/asell.cu \
  'sum_of_lanes(row >= 0 ? cached' \
  'sum_of_lanes(row >= 0 && lane != 7 ? cached' \
  test_kernels_gpu
gpu_fault "the second best format is not tried beside an exchange" miniapp/tune/schedule_trial.cpp \
  'if (!other.empty()) list.push_back({Schedule::overlap' \
  'if (false) list.push_back({Schedule::overlap' \
  test_miniapp_gpu_n2
gpu_fault "pieces of csr-panels begin an entry early" kernels/gpu/csr_panels/csr_panels.cu \
  'count_below(row_begins[piece % rows.count], order + first, in_panel)' \
  'count_below(row_begins[piece % rows.count] - 1, order + first, in_panel)' \
  test_kernels_gpu
gpu_fault "of several vectors, the second of a lane is the first" kernels/gpu/several/several.cuh \
  'cached(place + (mine_ == lane_vectors ? 1 : 0))' \
  'cached(place)' \
  test_kernels_gpu
gpu_fault "with several vectors the last steps of a row are forgotten" kernels/gpu/several/several.cuh \
  'if (steps > 0) {' \
  'if (false) {' \
  test_kernels_gpu
gpu_fault "words of an element beyond the first come from the next" miniapp/halo/gather.cu \
  'from[index * words + word];' \
  'from[(index + (word > 0 ? 1 : 0)) * words + word];' \
  test_exchange_gpu_n2
gpu_fault "chunks take elements of several words for one" miniapp/halo/p2p/chunks.cu \
  'const std::uint32_t count = chunk.count * (elements == Elements::words ? 1 : arguments.words);' \
  'const std::uint32_t count = chunk.count;' \
  test_exchange_gpu_n2
gpu_fault "lines of several vectors hold the first" miniapp/halo/p2p/lines.cu \
  '* vectors + i % vectors;' \
  '* vectors;' \
  test_exchange_gpu_n2
gpu_fault "columns of several vectors on a GPU begin where rows end" miniapp/spmv/layouts.cu \
  'tile[row * places.pitch + k] = columns[k * leading + begin + row];' \
  'tile[row * places.pitch + k] = columns[k * rows + begin + row];' \
  test_several_gpu_n1
