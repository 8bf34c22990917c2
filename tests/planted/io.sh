# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# Faults that planted.sh plants in io/

fault "symmetric half lost" partition/matrix/entry_delivery.cpp \
  'if (mirror != Mirror::none && entry.row != entry.column) {' \
  'if (mirror == Mirror::negated && entry.row != entry.column) {'
fault "sign of the skew half lost" partition/matrix/entry_delivery.cpp \
  'mirror == Mirror::negated ? -1.0 : 1.0;' \
  'mirror == Mirror::negated ? 1.0 : 1.0;'
fault "line number off by one" io/matrix_market/reader.cpp \
  'path, lines + first->line + 1, first->what' \
  'path, lines + first->line, first->what'
fault "strides of the grid mixed up" io/generators/stencil.cpp \
  'p.x + grid.extent[0] * (p.y + grid.extent[1] * p.z)' \
  'p.x + grid.extent[0] * (p.y + grid.extent[0] * p.z)'
fault "coefficient of a pair differs from its two sides" io/generators/stencil.cpp \
  'std::minmax({number(p), number(q)})' \
  'std::pair(number(p), number(q))'
fault "clamped columns kept" io/generators/elasticity.cpp \
  'node.at[2] == 0 || node.at[2] + dz == 0' \
  'node.at[2] == 0'
fault "edges drawn by their number on the rank" io/generators/rmat.cpp \
  'rmat.draw(begin + k)' \
  'rmat.draw(k)'
fault "edges of the last thread only are sent" partition/matrix/entry_delivery.cpp \
  'counts[rank] += own[rank];' \
  'counts[rank] = own[rank];'
fault "streets end at their quarter" io/generators/road.cpp \
  ' || runs_along_x(next) == along_x' \
  ''
fault "heavy rows stand in their parts' first row" io/generators/heavy_rows.hpp \
  'row % part == part / 2' \
  'row % part == 0'
fault "overlong last word of a band" io/generators/banded.cpp \
  'if (last - first < 63)' \
  'if (last - first < 62)'
fault "pieces of .h5 read from the first" io/hdf5/array.hpp \
  'read_piece(array, first + done, size,' \
  'read_piece(array, first, size,'
fault "pieces of .h5 written over the first" io/hdf5/array.hpp \
  'write_piece(array, first + done, size,' \
  'write_piece(array, first, size,'
fault "offsets in .h5 count from the rank" io/hdf5/matrix.cpp \
  'return begin + matrix.offsets[k];' \
  'return matrix.offsets[k];'
fault "values of .h5 from the start of the file" io/hdf5/matrix.cpp \
  'open_array(group.get(), "data", place), begin, nonzeros' \
  'open_array(group.get(), "data", place), 0, nonzeros'
fault "no look between two pieces of .h5" io/csr_arrays.hpp \
  'std::int64_t falls = falls_at(0);' \
  'std::int64_t falls = 0;'
fault "columns of .h5 beyond the last" io/csr_arrays.hpp \
  ' | (last_column - static_cast<Bits>(column))' \
  ' | (last_column & 0)'
fault "columns of a 64-bit .petsc sought too early" io/petsc/format.hpp \
  'return length_at(rows) + entry * index_bytes;' \
  'return length_at(rows) + entry * 4;'
fault "values of .petsc little-endian" io/petsc/pieces.cpp \
  'numbers[k] = big_endian(static_cast<Number>(get(begin + k)));' \
  'numbers[k] = static_cast<Number>(get(begin + k));'
fault "32-bit .petsc for long matrices" io/petsc/format.cpp \
  'std::max({rows, columns, nonzeros}) > largest_int32' \
  'std::max(rows, columns) > largest_int32'
fault "sign of zero lost in .mtx" io/matrix_market/writer.cpp \
  '!(value == 0 && std::signbit(value));' \
  'true;'
fault "rounds of .mtx overlap" io/parallel_output.cpp \
  'return offset + sum_over_ranks(comm_, bytes);' \
  'return offset + bytes;'
fault "inner control group overrules the outer" io/host_memory.cpp \
  'tighten(bytes, bytes_of_group(mount + group + "/", files));' \
  'if (bytes.limit == no_limit) bytes = bytes_of_group(mount + group + "/", files);'
fault "PETSc's copy is not counted against the control group" io/host_memory.cpp \
  'bytes.left = std::min(bytes.left, others.left);' \
  ''
fault "a control group's usage is free" io/host_memory.cpp \
  'limit - used + number_of' \
  'limit + number_of'
fault "any controller limits memory" io/host_memory.cpp \
  'controllers.find(",memory,")' \
  'controllers.find("memory")'
fault "hard links are other files" io/output_file.cpp \
  'return Identity{status.st_dev, status.st_ino, ""};' \
  'return Identity{status.st_dev, status.st_ino, path};' \
  test_io
fault "a device can be named only once" io/output_file.cpp \
  'if (S_ISCHR(status.st_mode)) return std::nullopt;' \
  '' \
  test_io
fault "files that are not there yet are never the same" io/output_file.cpp \
  'return Identity{status.st_dev, status.st_ino, target.substr(name)};' \
  'return std::nullopt;' \
  test_io
fault "inputs may not share a file" io/output_file.cpp \
  'return a.role == b.role && a.role != FileRole::output;' \
  'return a.role == b.role && a.role == FileRole::stream;' \
  test_io
fault "a new group overwrites the file" io/hdf5/target.cpp \
  'begun = copy_into(file, location.file, progress);' \
  'file.write(hdf5_image(location.file, [](hid_t) {}));' \
  test_hdf5_n1
fault "HDF5 meets a full disk" io/hdf5/target.cpp \
  'file.reserve(begun + headers_bytes + bytes);' \
  'file.reserve(begun + 1);' \
  cli_outputs
fault "the temporary file may have become a link" io/output_file.cpp \
  'O_WRONLY | O_NOFOLLOW | O_CLOEXEC' \
  'O_WRONLY | O_CLOEXEC' \
  test_io
fault "an output replaces the link to its target" io/output_file.cpp \
  'target_(followed(path))' \
  'target_(path)' \
  test_io
fault "an output loses its permissions" io/output_file.cpp \
  'if (mode_ != 0) (void)::chmod(name_.c_str(), mode_);' \
  '' \
  test_io
fault "a job that ends by an error leaves what it was writing" partition/base/unfinished_files.cpp \
  '::unlink(name.c_str())' \
  '(void)name' \
  test_io
fault "what a living run writes is removed" io/output_file.cpp \
  'if (has_ended(pid, start)) ::unlink' \
  '::unlink' \
  test_io
fault "a process number that is used again is the old process" io/output_file.cpp \
  "process->state == 'X' || process->start != start" \
  "process->state == 'X'" \
  test_io
fault ".info appears without its matrix" io/petsc/reader.cpp \
  'write(fmt::format("-matload_block_size {}\n", block));' \
  'write(fmt::format("-matload_block_size {}\n", block)), file->rename_to_path(), file.reset();' \
  test_files_n1
fault "a pipe taken for a file" partition/base/regular_file.cpp \
  '} else if (!S_ISREG(status.st_mode)) {' \
  '} else if (S_ISSOCK(status.st_mode)) {'
fault "opening a pipe waits for its writer" partition/base/regular_file.cpp \
  'O_RDONLY | O_CLOEXEC | O_NONBLOCK' \
  'O_RDONLY | O_CLOEXEC'
fault "control groups do not limit what a header may ask for" io/host_memory.cpp \
  'bytes.limit = std::min(bytes.limit, others.limit);' \
  ''
fault "each rank takes the memory of its host for its own" io/host_memory.cpp \
  'if (share * ranks > allowed(limits.host))' \
  'if (share > allowed(limits.host))'
fault "ulimit -v is not asked" io/host_memory.cpp \
  'if (share > allowed(limits.process))' \
  'if (false)'
fault "columns of a header take no memory" io/matrix_market/reader.cpp \
  '{header.rows, header.columns, least_nonzeros(header), delivery_bytes}' \
  '{header.rows, 0, least_nonzeros(header), delivery_bytes}'
fault "room for entries one byte too small" io/matrix_market/reader.cpp \
  'room = (text_bytes + 1) / entry_bytes;' \
  'room = text_bytes / entry_bytes;'
fault "comments of a header kept in memory" io/matrix_market/reader.cpp \
  'bytes = header.bytes > before ? step : 2 * bytes;' \
  'bytes = 2 * bytes;' \
  cli_bombs
fault "links to other files followed" io/hdf5/handles.cpp \
  'return -1;' \
  'return 0;'
fault "virtual datasets taken" io/hdf5/array.cpp \
  'H5Pget_layout(made) == H5D_VIRTUAL' \
  'H5Pget_layout(made) == H5D_LAYOUT_ERROR'
fault "external storage taken" io/hdf5/array.cpp \
  'H5Pget_external_count(made) > 0' \
  'H5Pget_external_count(made) > 1'
fault "chunks that were never written taken" io/hdf5/array.cpp \
  'if (written >= chunks) return;' \
  'if (written > 0) return;'
fault "half a dataset is enough" io/hdf5/array.cpp \
  'if (numbers <= stored / std::max<std::size_t>(H5Tget_size(type.get()), 1)) return;' \
  'if (numbers <= 2 * (stored / std::max<std::size_t>(H5Tget_size(type.get()), 1))) return;'
fault "lp: the rows of a block reach into the next" io/generators/lp.cpp \
  'even_split(columns, 1, static_cast<int>(blocks), block + 1)' \
  'even_split(columns, 1, static_cast<int>(blocks), block + 1) + 1' \
  test_generators_n2
fault "values=integers: 0 among them" io/generators/generators.hpp \
  'std::floor(1000 * value) + 1' \
  'std::floor(1000 * value)' \
  test_generators_n2
fault "what won beside the exchange counts as left out" io/report/explain.cpp \
  'if (one.seconds || one.won_with_exchange) continue;' \
  'if (one.seconds) continue;' \
  test_io
fault "what won beside the exchange was not compared" io/report/explain.cpp \
  '!(taken->seconds || taken->won_with_exchange)' \
  '!taken->seconds' \
  test_io
fault "a dataset is written through a link to another file" io/hdf5/target.cpp \
  'links.check(fmt::format("{} {}: '"'"'{}'"'"'", option, name, path));' \
  'links.get();' \
  test_hdf5_n1
fault "the dataset format is not looked at" io/hdf5/outline.cpp \
  'if (has_link(group, "format")) {' \
  'if (false) {' \
  test_hdf5_n1
fault "offsets beyond the entries are taken" io/csr_arrays.hpp \
  'offsets[k] > nonzeros' \
  'offsets[k] > nonzeros && false' \
  test_hdf5_n1
fault "columns of an .h5 file taken for rows" io/hdf5/matrix.cpp \
  'return layout.by_columns ? transposed(' \
  'return false ? transposed(' \
  test_hdf5_n1
fault "marks of a format in capitals are not known" io/hdf5/outline.cpp \
  'std::string small = lower_case(format);' \
  'std::string small = format;' \
  test_hdf5_n1
fault "the first column whichever was chosen" io/vector_file.cpp \
  'matrix.columns[k] == std::max<std::int64_t>(column, 1) - 1' \
  'matrix.columns[k] == 0' \
  test_files_n1
fault "numbers beyond 2^53 rounded without a word" io/matrix_market/parser.cpp \
  'if (!is_rounded(token, value)) return;' \
  'if (true) return;' \
  cli_foreign_files
fault "the checksum of an .npz is not looked at" io/npz/reader.cpp \
  'if (crc != crc_wanted) fail(' \
  'if (false) fail(' \
  cli_foreign_files
fault "lines of a name are lines of the output" partition/base/text.cpp \
  "if (character.code == '\\n') return \"\\\\n\";" \
  "if (character.code == '\\n') return \"\\n\";" \
  test_base
fault "the suffix counts before the content" io/file_kind.cpp \
  'return content.kind == FileKind::none ? kind_by_suffix(path) : content.kind;' \
  'return kind_by_suffix(path) != FileKind::none ? kind_by_suffix(path) : content.kind;' \
  test_io_mpi_n1
