// SPDX-License-Identifier: BSD-3-Clause
//
// The table of sources, and the choice among them (sources.hpp): `stencil27:96` is a generator,
// `a.mtx`, `set.tar.gz:set_b.mtx` and `a.h5:/m` are files, whatever their content is.
#include "io/sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "io/file_kind.hpp"
#include "io/hdf5/target.hpp"
#include "io/output_file.hpp"
#include "partition/base/regular_file.hpp"
#include "partition/base/suggestion.hpp"
#include "partition/matrix/migrate.hpp"

namespace rowhalo {

// What each kind of source does, in a file of its own.
extern const SourceFunctions matrix_market_source, archive_source, npz_source, hdf5_source,
    petsc_source, stencil_source, elasticity_source, banded_source, random_source, rmat_source,
    web_source, road_source, arrow_source, empty_source, lp_source, dense_source;
extern const VectorFunctions matrix_market_vectors, hdf5_vectors, petsc_vectors;

namespace {

const SourceEntry table[]{
    {".mtx", "FILE.mtx", "Matrix Market file: coordinate or array, read in parallel",
     &matrix_market_source, FileKind::matrix_market, "FILE.mtx", &matrix_market_vectors},
    {".mtx.gz", "FILE.mtx.gz", "Matrix Market file, gzip-compressed; inflated by one rank",
     &matrix_market_source, FileKind::matrix_market_gz, "FILE.mtx.gz"},
    {".tar.gz", "FILE.tar.gz[:member]",
     "SuiteSparse archive of NAME/NAME.mtx; inflated by one rank", &archive_source, FileKind::tar,
     "FILE.tar.gz:MEMBER"},
    {".npz", "FILE.npz", "scipy.sparse.save_npz: csr, csc, coo; what is deflated, by one rank",
     &npz_source, FileKind::npz, "FILE.npz"},
    {".h5", "FILE.h5[:/group]",
     "CSR or CSC in an HDF5 file: scipy, AnnData, 10x, MATLAB 7.3; read in parallel", &hdf5_source,
     FileKind::hdf5, "FILE.h5[:/dataset]", &hdf5_vectors, hdf5_unusable},
    {".petsc", "FILE.petsc", "matrix in PETSc's binary format, read in parallel", &petsc_source,
     FileKind::petsc, "FILE.petsc", &petsc_vectors},
    {"stencil5", "stencil5:N | stencil5:nx=,ny=",
     "5-point stencil on a grid of N x N; coef=constant|random|jump", &stencil_source},
    {"stencil7", "stencil7:N | stencil7:nx=,ny=,nz=",
     "7-point stencil on a grid of N x N x N; coef=constant|random|jump", &stencil_source},
    {"stencil27", "stencil27:N | stencil27:nx=,ny=,nz=",
     "27-point stencil on a grid of N x N x N; coef=constant|random|jump", &stencil_source},
    {"elasticity", "elasticity:N | elasticity:nx=,ny=,nz=",
     "3-D elasticity on N x N x N nodes, 3 unknowns per node; young=1,poisson=0.3,clamp=1",
     &elasticity_source},
    {"banded", "banded:rows=N,half=H,fill=P,seed=S",
     "entries within H of the diagonal with probability P, the diagonal always", &banded_source},
    {"random", "random:rows=N,columns=M,row=K,seed=S",
     "K entries per row on average, in random columns, values in [-1, 1)", &random_source},
    {"rmat", "rmat:scale=K,edges=E,seed=S,a=,b=,c=,packed=",
     "power law: 2^K vertices, E edges drawn for each; scramble=1 renumbers them", &rmat_source},
    {"web", "web:rows=N,row=K,seed=S,packed=",
     "links of N pages in crawl order, K per page on average: hosts, runs, copied links",
     &web_source},
    {"road", "road:N | road:nx=,ny=,heavy=H,row=K,seed=S",
     "planar street network of N x N crossings, 2 to 4 streets each; H rows of K entries",
     &road_source},
    {"arrow", "arrow:rows=N,heavy=H,row=K,seed=S",
     "tridiagonal, except for H rows of K entries each", &arrow_source},
    {"empty", "empty:rows=N,share=P,row=K,seed=S",
     "a share P of the rows is empty, the others have K entries", &empty_source},
    {"lp", "lp:rows=N,columns=M,blocks=B,linking=L,fill=P,column=K,dense=D,seed=S",
     "linear program: L rows and D columns across B blocks with K entries per column", &lp_source},
    {"dense", "dense:N | dense:rows=,columns=", "every entry stored, a_ij = i - 0.1*j + 1",
     &dense_source},
};

bool is_generator(const std::string& text) {
  const std::string name = text.substr(0, text.find(':'));
  return std::ranges::any_of(
      table, [&](const SourceEntry& entry) { return !entry.is_file() && name == entry.name; });
}

/// The kinds of files, or those that are written.
std::string listed_files(FileUse use, bool written) {
  std::vector<std::string> usages;
  for (const SourceEntry& entry : table) {
    if (entry.is_file() && (!written || entry.writes(use))) {
      usages.emplace_back(entry.usage_of(use));
    }
  }
  return listed(usages);
}

/// Local. Throws InputError: a file that is missing or of no kind that is read, a generator that is
/// not known.
const SourceEntry& find_source(const Spec& spec, bool file, const std::string& option) {
  if (!file) {
    std::vector<std::string> valid;
    for (const SourceEntry& entry : table) {
      if (!entry.is_file() && spec.name() == entry.name) return entry;
      valid.emplace_back(entry.is_file() ? entry.usage : entry.name);
    }
    spec.fail(fmt::format("unknown source '{}'{}", spec.name(),
                          suggestion(spec.name(), valid, "use " + listed(valid))));
  }
  const FileLocation location = file_location(spec.text());
  if (location.column != 0) spec.fail("a column can be chosen of vectors only; leave out :column");
  check_regular_file(location.file,
                     option);  // before a reader opens it, which does not know the option
  return source_of_file(location.file, option + " " + spec.text(), FileUse::matrix);
}

struct NamedSource {
  Spec spec;
  const SourceEntry* entry = nullptr;
};

/// Collective. A generator every rank knows by its name; what else `text` is rank 0 decides, which
/// may depend on the files that it sees.
NamedSource name_source(const std::string& text, const Comm& comm, const std::string& option) {
  NamedSource source;
  const bool plain = is_generator(text) && text.find('/') == std::string::npos;
  std::int64_t number = 0;
  agree(comm, [&] {
    if (comm.rank != 0 && !plain) return;
    const bool file = names_matrix_file(text);
    source.spec = file ? Spec::whole(text, option) : Spec::parse(text, option);
    number = &find_source(source.spec, file, option) - table;
  });
  source.entry = &table[max_over_ranks(comm, number)];
  agree(comm, [&] {
    if (comm.rank == 0 || plain) return;
    source.spec = source.entry->is_file() ? Spec::whole(text, option) : Spec::parse(text, option);
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

}  // namespace

std::span<const SourceEntry> sources() {
  return table;
}

const SourceEntry* source_of_kind(FileKind kind) {
  const auto* entry = std::ranges::find(table, kind, &SourceEntry::kind);
  return kind == FileKind::none || entry == std::end(table) ? nullptr : entry;
}

const SourceEntry& source_of_file(const std::string& path, const std::string& what, FileUse use) {
  const SourceEntry* entry = source_of_kind(kind_of_file(path, what));
  if (entry == nullptr) {
    throw InputError(what +
                     ": neither its content nor its name says what kind of file it is; use " +
                     listed_files(use, false));
  }
  if (entry->unusable != nullptr) throw InputError(what + ": " + entry->unusable);
  return *entry;
}

const SourceEntry& source_to_write(const std::string& name, const std::string& option,
                                   FileUse use) {
  const FileLocation location = file_location(name);
  const SourceEntry* entry = source_of_kind(kind_by_suffix(location.file));
  const Spec spec = Spec::whole(name, option);
  if (entry == nullptr || !entry->writes(use) || !has_writable_suffix(location.file)) {
    spec.fail("the kind of file is not known by its name; use " + listed_files(use, true));
  }
  if (entry->unusable != nullptr) spec.fail(entry->unusable);
  if (location.column != 0) spec.fail("a column cannot be written; leave out :column");
  return *entry;
}

bool names_file(const std::string& text) {
  const std::string file = file_location(text).file;
  return kind_by_suffix(file) != FileKind::none || is_existing_file(file);
}

bool names_matrix_file(const std::string& text) {
  return text.find('/') != std::string::npos || (!is_generator(text) && names_file(text));
}

DistributedCsr load_matrix(const std::string& text, int block, const Comm& comm, Progress& progress,
                           const std::string& option) {
  const NamedSource source = name_source(text, comm, option);
  if (block > 1) {
    // Before the work of reading.
    const MatrixInfo info = source.entry->functions->outline(source.spec, comm).info;
    agree(comm, [&] { check_block(info, block); });
  }
  DistributedCsr matrix = source.entry->functions->load(source.spec, comm, progress);
  if (block < 1 || block == matrix.info.block) return matrix;
  matrix.info.grid.reset();  // its points are the block rows of the source
  matrix.info.block = block;
  return evenly_distributed(comm, std::move(matrix), progress);
}

MatrixOutline outline_matrix(const std::string& text, int block, const Comm& comm,
                             const std::string& option) {
  const NamedSource source = name_source(text, comm, option);
  MatrixOutline outline = source.entry->functions->outline(source.spec, comm);
  if (block < 1 || block == outline.info.block) return outline;
  agree(comm, [&] { check_block(outline.info, block); });
  outline.info.grid.reset();
  outline.info.block = block;
  return outline;
}

void save_matrix(const std::string& path, const DistributedCsr& matrix, const Comm& comm,
                 Progress& progress) {
  const SourceEntry* entry = nullptr;
  agree(comm, [&] { entry = &source_to_write(path, "", FileUse::matrix); });
  entry->functions->save(path, matrix, comm, progress);
}

void check_target(const std::string& name, const std::string& option, FileUse use,
                  const Comm& comm) {
  agree(comm, [&] {
    source_to_write(name, option, use);
    if (comm.rank != 0) return;
    check_output_path(file_location(name).file, option);
    check_hdf5_target(name, option, use);
  });
}

}  // namespace rowhalo
