// SPDX-License-Identifier: BSD-3-Clause
//
// The table of sources, and the choice among them (sources.hpp).
#include "io/sources.hpp"

#include <fmt/format.h>

#include <vector>

#include "io/hdf5/location.hpp"
#include "io/hdf5/target.hpp"
#include "io/hdf5/unusable.hpp"
#include "io/output_file.hpp"
#include "partition/base/regular_file.hpp"
#include "partition/base/suggestion.hpp"
#include "partition/matrix/migrate.hpp"

namespace rowhalo {

// SourceEntry::load, ::outline and ::save of each kind of source, in a file of its own.
using Load = DistributedCsr(const Spec& spec, const Comm& comm, Progress& progress);
using Outline = MatrixOutline(const Spec& spec, const Comm& comm);
using Save = void(const std::string& path, const DistributedCsr& matrix, const Comm& comm,
                  Progress& progress);

Load load_matrix_market;
Outline outline_matrix_market;
Save save_matrix_market;
Load load_hdf5, load_petsc;
Outline outline_hdf5, outline_petsc;
Save save_hdf5, save_petsc;
Load load_stencil, load_elasticity, load_banded, load_random, load_rmat, load_web, load_road,
    load_arrow, load_empty, load_lp, load_dense;
Outline outline_stencil, outline_elasticity, outline_banded, outline_random, outline_rmat,
    outline_web, outline_road, outline_arrow, outline_empty, outline_lp, outline_dense;

namespace {

constexpr SourceEntry table[]{
    {".mtx", "FILE.mtx", "Matrix Market file: coordinate or array, read in parallel", nullptr,
     load_matrix_market, outline_matrix_market, save_matrix_market},
    {".mtx.gz", "FILE.mtx.gz", "Matrix Market file, gzip-compressed; inflated by one rank", nullptr,
     load_matrix_market, outline_matrix_market, save_matrix_market},
    {".h5", "FILE.h5[:/group]", "CSR arrays in an HDF5 file, as scipy has them; read in parallel",
     hdf5_unusable, load_hdf5, outline_hdf5, save_hdf5},
    {".petsc", "FILE.petsc", "matrix in PETSc's binary format, read in parallel", nullptr,
     load_petsc, outline_petsc, save_petsc},
    {"stencil5", "stencil5:N | stencil5:nx=,ny=",
     "5-point stencil on a grid of N x N; coef=constant|random|jump", nullptr, load_stencil,
     outline_stencil},
    {"stencil7", "stencil7:N | stencil7:nx=,ny=,nz=",
     "7-point stencil on a grid of N x N x N; coef=constant|random|jump", nullptr, load_stencil,
     outline_stencil},
    {"stencil27", "stencil27:N | stencil27:nx=,ny=,nz=",
     "27-point stencil on a grid of N x N x N; coef=constant|random|jump", nullptr, load_stencil,
     outline_stencil},
    {"elasticity", "elasticity:N | elasticity:nx=,ny=,nz=",
     "3-D elasticity on N x N x N nodes, 3 unknowns per node; young=1,poisson=0.3,clamp=1", nullptr,
     load_elasticity, outline_elasticity},
    {"banded", "banded:rows=N,half=H,fill=P,seed=S",
     "entries within H of the diagonal with probability P, the diagonal always", nullptr,
     load_banded, outline_banded},
    {"random", "random:rows=N,columns=M,row=K,seed=S",
     "K entries per row on average, in random columns, values in [-1, 1)", nullptr, load_random,
     outline_random},
    {"rmat", "rmat:scale=K,edges=E,seed=S,a=,b=,c=,packed=",
     "power law: 2^K vertices, E edges drawn for each; scramble=1 renumbers them", nullptr,
     load_rmat, outline_rmat},
    {"web", "web:rows=N,row=K,seed=S,packed=",
     "links of N pages in crawl order, K per page on average: hosts, runs, copied links", nullptr,
     load_web, outline_web},
    {"road", "road:N | road:nx=,ny=,heavy=H,row=K,seed=S",
     "planar street network of N x N crossings, 2 to 4 streets each; H rows of K entries", nullptr,
     load_road, outline_road},
    {"arrow", "arrow:rows=N,heavy=H,row=K,seed=S",
     "tridiagonal, except for H rows of K entries each", nullptr, load_arrow, outline_arrow},
    {"empty", "empty:rows=N,share=P,row=K,seed=S",
     "a share P of the rows is empty, the others have K entries", nullptr, load_empty,
     outline_empty},
    {"lp", "lp:rows=N,columns=M,blocks=B,linking=L,fill=P,column=K,dense=D,seed=S",
     "linear program: L rows and D columns across B blocks with K entries per column", nullptr,
     load_lp, outline_lp},
    {"dense", "dense:N | dense:rows=,columns=", "every entry stored, a_ij = i - 0.1*j + 1", nullptr,
     load_dense, outline_dense},
};

bool is_suffix(const SourceEntry& entry) {
  return entry.name[0] == '.';
}

/// Whether `text` names a file of this kind; FILE.h5:/group does, too.
bool has_suffix(const std::string& text, const SourceEntry& entry) {
  return is_suffix(entry) && hdf5_location(text).file.ends_with(entry.name);
}

/// Entry for a file by its suffix, else for a generator; throws InputError listing the valid ones.
const SourceEntry& find_source(const std::string& text, const Spec& spec) {
  const bool file = names_matrix_file(text);
  std::vector<std::string> valid;
  for (const SourceEntry& entry : table) {
    if (file ? has_suffix(text, entry) : spec.name() == entry.name) {
      if (entry.unusable != nullptr) spec.fail(entry.unusable);
      return entry;
    }
    if (!file || is_suffix(entry)) valid.push_back(is_suffix(entry) ? entry.usage : entry.name);
  }
  if (file) spec.fail("the kind of file is not known by its name; use " + listed(valid));
  spec.fail(fmt::format("unknown source '{}'{}", spec.name(),
                        suggestion(spec.name(), valid, "use " + listed(valid))));
}

struct NamedSource {
  Spec spec;
  const SourceEntry* entry = nullptr;
};

NamedSource name_source(const std::string& text, const Comm& comm, const std::string& option) {
  NamedSource source;
  agree(comm, [&] {
    source.spec = names_matrix_file(text) ? Spec::whole(text, option) : Spec::parse(text, option);
    source.entry = &find_source(text, source.spec);
    // Before a reader opens it, which does not know the option.
    if (comm.rank == 0 && is_suffix(*source.entry)) {
      check_regular_file(hdf5_location(text).file, option);
    }
  });
  return source;
}

void check_block(const MatrixInfo& info, int block) {
  if (info.rows % block == 0 && info.columns % block == 0) return;
  throw InputError(
      fmt::format("--block {}: does not divide the {} rows and {} columns of {}; "
                  "use 1 or a common divisor",
                  block, info.rows, info.columns, info.source));
}

/// The entry that writes `path`; throws InputError listing the kinds of files that can be written.
const SourceEntry& find_writer(const std::string& path, const std::string& option) {
  std::vector<std::string> valid;
  for (const SourceEntry& entry : table) {
    if (entry.save == nullptr) continue;
    valid.push_back(entry.usage);
    if (!has_suffix(path, entry)) continue;
    if (entry.unusable != nullptr) Spec::whole(path, option).fail(entry.unusable);
    return entry;
  }
  Spec::whole(path, option).fail("the kind of file is not known by its name; use " + listed(valid));
}

}  // namespace

std::span<const SourceEntry> sources() {
  return table;
}

bool names_matrix_file(const std::string& text) {
  if (text.find('/') != std::string::npos) return true;
  for (const SourceEntry& entry : table) {
    if (has_suffix(text, entry)) return true;
  }
  return false;
}

DistributedCsr load_matrix(const std::string& text, int block, const Comm& comm, Progress& progress,
                           const std::string& option) {
  const NamedSource source = name_source(text, comm, option);
  if (block > 1) {
    // Before the work of reading.
    const MatrixInfo info = source.entry->outline(source.spec, comm).info;
    agree(comm, [&] { check_block(info, block); });
  }
  DistributedCsr matrix = source.entry->load(source.spec, comm, progress);
  if (block < 1 || block == matrix.info.block) return matrix;
  matrix.info.grid.reset();  // its points are the block rows of the source
  matrix.info.block = block;
  return evenly_distributed(comm, std::move(matrix), progress);
}

MatrixOutline outline_matrix(const std::string& text, int block, const Comm& comm,
                             const std::string& option) {
  const NamedSource source = name_source(text, comm, option);
  MatrixOutline outline = source.entry->outline(source.spec, comm);
  if (block < 1 || block == outline.info.block) return outline;
  agree(comm, [&] { check_block(outline.info, block); });
  outline.info.grid.reset();
  outline.info.block = block;
  return outline;
}

void save_matrix(const std::string& path, const DistributedCsr& matrix, const Comm& comm,
                 Progress& progress) {
  const SourceEntry* entry = nullptr;
  agree(comm, [&] { entry = &find_writer(path, ""); });
  entry->save(path, matrix, comm, progress);
}

void check_matrix_target(const std::string& path, const std::string& option, const Comm& comm) {
  agree(comm, [&] {
    find_writer(path, option);
    if (comm.rank != 0) return;
    check_output_path(hdf5_location(path).file, option);
    check_hdf5_target(path, option, Hdf5Object::group);
  });
}

}  // namespace rowhalo
