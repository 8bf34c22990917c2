# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# Faults that planted.sh plants in miniapp/

fault "stale halo: packed for one vector only" miniapp/halo/message_exchange.cpp \
  'if (contiguous_[k]) continue;' \
  'if (contiguous_[k] || x.slot > 0) continue;'
fault "vectors begin at the first place that was tried" miniapp/halo/memory/vector_layout.cpp \
  'base + first_bytes + slot * stride_bytes' \
  'base + slot * stride_bytes'
fault "exchange not waited for" miniapp/halo/mpi.cpp \
  'MPI_Waitall(checked_cast<int>(requests_.size(), "requests")' \
  'MPI_Waitall(checked_cast<int>(requests_.size() / 2, "requests")'
fault "neighbourhood collective sends and receives at one place" miniapp/halo/mpi_neighbor.cpp \
  '(ends[k].address - buffer)' \
  '(ends[0].address - buffer)'
fault "device addresses for any MPI" miniapp/halo/mpi.cpp \
  'return site.no_device_messages;' \
  'return {};'
fault "one rank of a node sends all" miniapp/halo/node_plan.cpp \
  'return side == Side::sends ? ranks[place]' \
  'return side == Side::sends ? ranks[0]'
fault "an agent delivers what came first" miniapp/halo/node_plan.cpp \
  'result.scattered.push_back(static_cast<LocalIndex>(found - entries.begin()));' \
  'result.scattered.push_back(0);'
fault "an entry that is known is packed again" miniapp/halo/node_plan.cpp \
  'places.push_back(firsts[number]);' \
  'places.push_back(place);'
fault "traffic to one node only" miniapp/halo/node_plan.cpp \
  'traffic.add({1, piece.count});' \
  'traffic = {1, piece.count};'
fault "node-aware reports what the plan says" miniapp/commands/one_case.cpp \
  'sent ? sum_over_ranks(comm, *sent) : report.halo->planned_between_nodes' \
  'report.halo->planned_between_nodes' \
  cli_halo
fault "validator accepts too much" miniapp/check/validation.hpp \
  'return max <= 1;' \
  'return max <= 1e6;'
fault "bound of a row is gamma again" miniapp/check/validation.cpp \
  'const double relative = relative_bound(precision, entries);' \
  'const double relative = relative_bound(precision, entries) / (1 - relative_bound(precision, entries) / 2);'
fault "underflow is not scaled by alpha" miniapp/check/validation.cpp \
  'std::max(1.0, std::abs(alpha))' \
  '1.0'
fault "unchecked rows count as checked" miniapp/check/validation.cpp \
  'rows - all_unchecked, all_unchecked' \
  'rows, all_unchecked'
fault "bits of long rows are not compared" miniapp/check/validation.cpp \
  'return canonical_bits(y) == canonical_bits(expected) ? 0 : infinity;' \
  'return 0;'
fault "every format promises the bits of csr" miniapp/spmv/local_kernels.cpp \
  'kernels.canonical = format.canonical && kernels.order != Order::split;' \
  'kernels.canonical = true;'
fault "boundary format promises the interior's bits" miniapp/spmv/local_kernels.cpp \
  'kernels.canonical = kernels.canonical && format.canonical;' \
  ''
fault "unchecked rows are not said" miniapp/commands/combinations.cpp \
  'if (unchecked > 0) report.verdict +=' \
  'if (unchecked < 0) report.verdict +=' \
  cli_validation
fault "slow formats are measured in full" miniapp/commands/kernels.cpp \
  'far_behind(e.options, best, seconds) ? batches_of_slow : e.options.batches' \
  'e.options.batches' \
  cli_schema
fault "kernels forgets what is asked of batches" miniapp/cli/options/measure.cpp \
  'options.measuring_given = true;' \
  'options.measuring_given = false;' \
  cli_schema
fault "rank without messages starts none" miniapp/halo/mpi.cpp \
  'if (count == 0) return;' \
  ''
fault "watchdog sleeps" miniapp/process/watchdog.cpp \
  'if (idle_seconds >= limit)' \
  'if (idle_seconds >= 100 * limit)' \
  cli_failures
fault "watchdog overlooks the start of MPI" miniapp/process/watchdog.cpp \
  '(progress_.in_library() ? 10 : 1)' \
  '(progress_.in_library() ? 10 : progress_.phase()[0] == *"start" ? 1e6 : 1)' \
  faults_short
fault "watchdog overlooks the end of MPI" miniapp/process/environment.cpp \
  'progress_.phase("end MPI");' \
  '' \
  faults_short
fault "outside of MPI every rank is the first" miniapp/process/environment.cpp \
  'rank = launched_rank();' \
  'rank = 0;' \
  faults_short
fault "a process alone starts a daemon" miniapp/process/environment.cpp \
  'if (!has_launcher()) want_no_network();' \
  '' \
  cli_terminal
fault "an error is silent about its phase" miniapp/process/environment.cpp \
  "error: %s (phase '%s')\\n" \
  'error: %s %.0s\n' \
  faults_short
fault "memory of a node keeps its name" miniapp/halo/memory/node_memory.cpp \
  'memfd_create("rowhalo", MFD_CLOEXEC)' \
  'open(fmt::format("/dev/shm/rowhalo{}", getpid()).c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600)' \
  faults_short
fault "the hook of the tests is shipped" miniapp/CMakeLists.txt \
  'add_executable(rowhalo main.cpp)' \
  'add_executable(rowhalo main.cpp ../tests/faults/held_phases.cpp)' \
  faults_short
fault "scattered y saved in the rank's order" miniapp/commands/save.cpp \
  'scatter<double>(comm, e.matrix.info.rows, e.matrix.source_rows, entries)' \
  'entries' \
  cli_scipy
fault "convert overwrites what a link names" io/output_file.cpp \
  'if (::stat(path.c_str(), &status) == 0) {' \
  'if (::lstat(path.c_str(), &status) == 0) {' \
  cli_convert
fault "ghosts need no memory" miniapp/bench/planned_work.cpp \
  'local_columns = share.columns + share.ghosts;' \
  'local_columns = share.columns;'
fault "messages inside nodes count all" miniapp/bench/describe.cpp \
  'quality.messages - between.messages;' \
  'quality.messages;' \
  cli_info
fault "two combinations are chosen" miniapp/commands/combinations.cpp \
  'if (one.outcome == Outcome::chosen) one.outcome = Outcome::slower;' \
  '' \
  cli_schema
fault "slices as long as their last rows" kernels/work.cpp \
  'longest_of_32 = std::max(longest_of_32, longest_of_8);' \
  'longest_of_32 = longest_of_8;'
fault "diagonals are predicted once too often" kernels/local_statistics.cpp \
  'diagonals.push_back(std::int64_t{host.indices[e]} - row);' \
  'diagonals.push_back(std::int64_t{host.indices[e]} + row);'
fault "columns that neighbouring rows share count as gathers" kernels/local_statistics.cpp \
  'return touched <= 0.5 ? 0 : touched;' 'return touched;'
fault "dia predicts more than it stores" kernels/cost_model.hpp \
  'const double slots = std::max(diagonals * s.rows, nonzeros(s));' \
  'const double slots = 50 * std::max(diagonals * s.rows, nonzeros(s));'
fault "dia expects only the diagonals of a sample" kernels/cost_model.hpp \
  'std::max(static_cast<double>(s.diagonals), longest_row(s))' \
  'static_cast<double>(s.diagonals)'
fault "value codes count for the ratio" jobs/results/programs/classes/results.py \
  'return "codes" if coded' \
  'return "ours" if coded' \
  cli_classes
fault "a run that ended early counts as complete" jobs/results/programs/classes/running.py \
  'set(formats) <= names_in(rows)' \
  'names_in(rows)' \
  cli_classes
fault "ghosts replace what the owned columns gave" miniapp/spmv/local_kernels.cpp \
  'added.beta = 1;' \
  'added.beta = 0;'
fault "split forgets its ghosts" miniapp/spmv/operator.cpp \
  'return multiply(*kernels.boundary, {p.alpha, p.x, 1, p.y}, p.x.view(), nullptr, stream);' \
  'return;' \
  cli_schedules
fault "first ghost counts as owned" miniapp/spmv/loaded_matrix.cpp \
  'column >= matrix.owned_columns' \
  'column > matrix.owned_columns'
fault "poison spares the last ghost" miniapp/bench/baselines/baselines.cpp \
  'static_cast<std::size_t>(x.ghosts) * x.element_bytes()' \
  'static_cast<std::size_t>(x.ghosts - 1) * x.element_bytes()'
fault "all ranks are late together" miniapp/bench/baselines/baselines.cpp \
  'static_cast<std::uint64_t>(rank) + 1' \
  'static_cast<std::uint64_t>(rank >= 0)'
fault "jitter in nanoseconds" miniapp/commands/run.cpp \
  '{options.poison, 1e-6 * options.jitter_microseconds}' \
  '{options.poison, 1e-9 * options.jitter_microseconds}' \
  cli_schedules
fault "all of a product is exposed" miniapp/bench/measurement.cpp \
  '1 - without.median() / with.median()' \
  '1 + 0 * without.median() / with.median()' \
  cli_schedules
fault "a baseline claims the bits of all" miniapp/commands/one_case.cpp \
  'if (order_of(kernels.schedule) == Order::split) {' \
  'if (false) {' \
  cli_schedules
fault "timeline: messages fly before they are packed" miniapp/bench/trace.cpp \
  'if (phases[p] == Phase::pack) packed = stream[p + 1];' \
  '' \
  cli_schedules
fault "HDF5: batches x ranks" io/report/hdf5.cpp \
  'shape[] = {report.rows.size(), seconds->size() / report.rows.size()}' \
  'shape[] = {seconds->size() / report.rows.size(), report.rows.size()}' \
  cli_results
fault "a rank reports whole batches" miniapp/bench/batches.cpp \
  'times.own_seconds.push_back(batch.seconds / count)' \
  'times.own_seconds.push_back(batch.seconds)'
fault "wrong ghosts are no fault of the sequence" miniapp/bench/measurement.cpp \
  'if (!measurement.checked.ghosts_are_right) return' \
  'if (!measurement.checked.ghosts_are_right && measurement.y.empty()) return'
fault "NaN is in every range" miniapp/cli/options/words.hpp \
  'value >= low && value <= high;' \
  '!(value < low || value > high);'
fault "any number of threads" miniapp/cli/device.cpp \
  'if (threads > most_threads) {' \
  'if (false) {' \
  cli_bad_input
fault "OpenMP ends the process" miniapp/cli/device.cpp \
  'while (std::ssize(started) < threads - 1) {' \
  'while (std::ssize(started) < 0) {' \
  cli_bad_input
fault "PETSc's one thread is not mentioned" miniapp/commands/references.cpp \
  'if (threads == 1) return {};' \
  'if (threads >= 1) return {};' \
  cli_schedules
fault "errors of products in a row do not add up" miniapp/check/validation.cpp \
  'error *= std::abs(beta);' \
  'error = 0;'
fault "a product in a row too few is compared" miniapp/check/validation.cpp \
  'for (int k = 0; k < products; ++k) {' \
  'for (int k = 1; k < products; ++k) {'
fault "y of products in a row is not looked at" miniapp/check/validation.cpp \
  'return error > 0 && !std::isnan(ratio) ? ratio : infinity;' \
  'return 0;'
fault "an output that fails ends the others" miniapp/cli/outputs.cpp \
  'lost_.push_back({option, error.what()});' \
  'throw error;' \
  test_miniapp_n1
fault "a lost output outranks a wrong y" miniapp/cli/outputs.cpp \
  'return code == ExitCode::fine && !lost_.empty()' \
  'return !lost_.empty()' \
  test_miniapp_n1
fault "stdout that fails counts as written" miniapp/cli/outputs.cpp \
  'if (!print_error_) print_error_ = error.reason();' \
  '(void)error;' \
  cli_outputs
fault "FOM and RESULT are lost with stdout" miniapp/cli/outputs.cpp \
  'if (print_error_ && descriptor_ == STDOUT_FILENO) text +=' \
  'if (false) text +=' \
  cli_outputs
fault "lost outputs are not named" miniapp/cli/outputs.cpp \
  '"rowhalo: {} was not written: {}\n", lost.option, one_line(lost.reason)' \
  '"rowhalo: an output was not written: {}\n", one_line(lost.reason)' \
  cli_outputs
fault "a broken pipe kills the run" miniapp/cli/outputs.cpp \
  'std::signal(SIGPIPE, SIG_IGN);' \
  '' \
  cli_outputs
fault "a file takes the number of a closed stdout" miniapp/cli/outputs.cpp \
  'if (::fcntl(descriptor, F_GETFD) < 0)' \
  'if (false)' \
  cli_outputs
fault "help into a full disk exits with 0" miniapp/cli/outputs.cpp \
  'return error.code();' \
  'return ExitCode::fine;' \
  cli_outputs
fault "a place in an HDF5 file is a file of its own" miniapp/cli/outputs.cpp \
  'files.push_back({option, *path, file_location(*path).file, FileRole::output});' \
  'files.push_back({option, *path, *path, FileRole::output});' \
  cli_outputs
fault "the .info file of a matrix is overwritten" miniapp/cli/outputs.cpp \
  'if (path.ends_with(".petsc")) files.push_back' \
  'if (false) files.push_back' \
  cli_outputs
fault "the end of an energy counter is not seen" miniapp/machine/telemetry.cpp \
  'const std::int64_t wrapped = *now < package.last ? package.range : 0;' \
  'const std::int64_t wrapped = 0;' \
  test_machine_n1
fault "energy of parts of a processor counts twice" miniapp/machine/telemetry.cpp \
  'return label.starts_with("package");' \
  'return true;' \
  test_machine_n1
fault "ranks that share a GPU count it twice" miniapp/machine/telemetry.cpp \
  '.second) continue;' \
  '.second && false) continue;' \
  test_machine_n3
fault "a power cap is as expected" miniapp/machine/nvml.hpp \
  '{0x4, "power cap", false}' \
  '{0x4, "power cap", true}' \
  test_machine_n1
fault "energy of less than five seconds is told" miniapp/machine/telemetry.cpp \
  'constexpr double least_energy_seconds = 5;' \
  'constexpr double least_energy_seconds = 0;' \
  test_machine_n3
fault "all GPUs seem joined by NVLink" miniapp/machine/nvml.cpp \
  '          status == 0;' \
  '          true;' \
  test_machine_n1
fault "further messages cost nothing" miniapp/bench/expected.cpp \
  'shortest.seconds + (messages - 1) * further + slower * transfer' \
  'shortest.seconds + slower * transfer' \
  test_miniapp_n1
fault "ranks of a node do not share what it can send" miniapp/bench/expected.cpp \
  'rate / std::min(lone, rate * measured / model.ranks_per_node)' \
  'rate / std::min(lone, rate)' \
  test_miniapp_n1
fault "CPUs hide messages, too" miniapp/bench/expected.cpp \
  'machine.device != "gpu" || exchange == 0' \
  'exchange == 0' \
  test_miniapp_n1
fault "messages hide behind boundary rows" miniapp/bench/expected.cpp \
  'std::max(local - boundary, exchange) + boundary + call' \
  'std::max(local, exchange) + call' \
  test_miniapp_n1
fault "the quickest rank counts" miniapp/bench/expected.cpp \
  'seconds = max_over_ranks(comm, seconds);' \
  'seconds = -max_over_ranks(comm, -seconds);' \
  test_miniapp_n2
fault "what was assumed is not said" miniapp/bench/expected.cpp \
  'assume(between, way.between, false);' \
  '' \
  test_miniapp_n1
fault "boxes of a star have neighbours across edges" miniapp/bench/planned_work.cpp \
  'steps == 1 || (steps > 1 && grid.corners)' \
  'steps >= 1' \
  test_miniapp_n1
fault "links: ghosts of the second neighbour land on those of the first" miniapp/bench/network.cpp \
  'plan.receives.push_back({other, plan.ghosts, entries});' \
  'plan.receives.push_back({other, 0, entries});' \
  test_miniapp_n4
fault "links between nodes pair up ranks of one node" miniapp/bench/network.cpp \
  'if (!inside && node % 2 == 1) sides.push_back({members[node - 1], members[node]});' \
  'if (!inside && node % 2 == 1) sides.push_back({members[node], members[node]});' \
  test_miniapp_n4
fault "a machine file may have its points in any order" io/machine_file.cpp \
  '!machine.reading.empty() && bytes <= machine.reading.back().bytes' \
  'bytes < 0' \
  test_io_mpi_n1
fault "the file of another device is taken" miniapp/commands/run.cpp \
  '!machine.measured || machine.measured->device == device' \
  '!machine.measured || device.empty()' \
  cli_network
fault "boundary nonzeros count rows" partition/quality.cpp \
  'walk.boundary_nonzeros[to] += matrix.offsets[row + 1] - matrix.offsets[row];' \
  'walk.boundary_nonzeros[to] += 1;' \
  test_partition_n2
fault "messages of sums count as neighbours" partition/halo_statistics.cpp \
  'gather_to_all(comm, std::ssize(reached));' \
  'gather_to_all(comm, std::ssize(plan.sends));' \
  cli_halo
fault "what overflows on the way is compared" miniapp/check/validation.cpp \
  'return magnitude.finite && !(magnitude.sum <= largest && magnitude.result <= largest);' \
  'return false;' \
  cli_validation
fault "the pair multiplies by A twice" miniapp/bench/pair.cpp \
  'second->apply(k);' \
  'first.apply(k);' \
  cli_pair
fault "a symmetric matrix takes two operators" miniapp/commands/pair.cpp \
  'const bool two = !equals_transpose(job.comm, matrix);' \
  'const bool two = true;' \
  cli_pair
fault "A^T x of the pair is not looked at" miniapp/commands/pair.cpp \
  'two ? check_side(other, *two, pairs, whole) : product;' \
  'product;' \
  cli_pair
