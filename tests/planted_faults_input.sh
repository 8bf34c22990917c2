# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# More faults for planted.sh, as in planted_faults.sh: hostile input, which asks for memory that is not
# there, for time, or for other files.

fault "a pipe taken for a file" partition/base/regular_file.cpp \
  '} else if (!S_ISREG(status.st_mode)) {' \
  '} else if (S_ISSOCK(status.st_mode)) {'
fault "opening a pipe waits for its writer" partition/base/regular_file.cpp \
  'O_RDONLY | O_CLOEXEC | O_NONBLOCK' \
  'O_RDONLY | O_CLOEXEC'
fault "control groups do not limit what a header may ask for" io/host_memory.cpp \
  'return std::min(physical, cgroup_memory_bytes(root, text_of(membership)));' \
  'return std::max(physical, cgroup_memory_bytes(root, text.str()));'
fault "each rank takes the memory of its host for its own" io/host_memory.cpp \
  'if (share * ranks > allowed(limits.host))' \
  'if (share > allowed(limits.host))'
fault "ulimit -v is not asked" io/host_memory.cpp \
  'if (share > allowed(limits.process))' \
  'if (false)'
fault "columns of a header take no memory" io/matrix_market.cpp \
  '{header.rows, header.columns, least_nonzeros(header), peak_bytes}' \
  '{header.rows, 0, least_nonzeros(header), peak_bytes}'
fault "room for entries one byte too small" io/matrix_market.cpp \
  'room = (text_bytes + 1) / entry_bytes;' \
  'room = text_bytes / entry_bytes;'
fault "comments of a header kept in memory" io/matrix_market.cpp \
  'bytes = header.bytes > before ? step : 2 * bytes;' \
  'bytes = 2 * bytes;' \
  cli_bombs
fault "links to other files followed" io/hdf5_handles.cpp \
  'return -1;' \
  'return 0;'
fault "virtual datasets taken" io/hdf5_array.cpp \
  'H5Pget_layout(made) == H5D_VIRTUAL' \
  'H5Pget_layout(made) == H5D_LAYOUT_ERROR'
fault "external storage taken" io/hdf5_array.cpp \
  'H5Pget_external_count(made) > 0' \
  'H5Pget_external_count(made) > 1'
fault "chunks that were never written taken" io/hdf5_array.cpp \
  'if (written >= chunks) return;' \
  'if (written > 0) return;'
fault "half a dataset is enough" io/hdf5_array.cpp \
  'if (stored >= bytes) return;' \
  'if (2 * stored >= bytes) return;'
