// SPDX-License-Identifier: BSD-3-Clause
//
// The table of sources, and the choice among them (sources.hpp).
#include "io/sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "io/file_location.hpp"
#include "io/hdf5/target.hpp"
#include "io/hdf5/unusable.hpp"
#include "io/output_file.hpp"
#include "partition/base/regular_file.hpp"
#include "partition/base/suggestion.hpp"
#include "partition/matrix/migrate.hpp"

namespace rowhalo {

// What each kind of source does, in a file of its own.
extern const SourceFunctions matrix_market_source, archive_source, npz_source, hdf5_source,
    petsc_source, stencil_source, elasticity_source, banded_source, random_source, rmat_source,
    web_source, road_source, arrow_source, empty_source, lp_source, dense_source;

namespace {

const SourceEntry table[]{
    {".mtx", "FILE.mtx", "Matrix Market file: coordinate or array, read in parallel",
     &matrix_market_source, FileKind::matrix_market},
    {".mtx.gz", "FILE.mtx.gz", "Matrix Market file, gzip-compressed; inflated by one rank",
     &matrix_market_source, FileKind::matrix_market_gz},
    {".tar.gz", "FILE.tar.gz[:member]",
     "SuiteSparse archive of NAME/NAME.mtx; inflated by one rank", &archive_source, FileKind::tar},
    {".npz", "FILE.npz", "scipy.sparse.save_npz: csr, csc, coo; what is deflated, by one rank",
     &npz_source, FileKind::npz},
    {".h5", "FILE.h5[:/group]",
     "CSR or CSC in an HDF5 file: scipy, AnnData, 10x, MATLAB 7.3; read in parallel", &hdf5_source,
     FileKind::hdf5, hdf5_unusable},
    {".petsc", "FILE.petsc", "matrix in PETSc's binary format, read in parallel", &petsc_source,
     FileKind::petsc},
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

bool is_file(const SourceEntry& entry) {
  return entry.kind != FileKind::none;
}

bool is_generator(const std::string& text) {
  const std::string name = text.substr(0, text.find(':'));
  return std::ranges::any_of(
      table, [&](const SourceEntry& entry) { return !is_file(entry) && name == entry.name; });
}

/// Names of all sources, or of those that are files.
std::vector<std::string> valid_names(bool only_files) {
  std::vector<std::string> valid;
  for (const SourceEntry& entry : table) {
    if (!only_files || is_file(entry))
      valid.emplace_back(is_file(entry) ? entry.usage : entry.name);
  }
  return valid;
}

/// Local. Throws InputError: a file that is missing or of no kind that is read, a generator that is
/// not known.
const SourceEntry& find_source(const Spec& spec, bool file, const std::string& option) {
  if (!file) {
    for (const SourceEntry& entry : table) {
      if (!is_file(entry) && spec.name() == entry.name) return entry;
    }
    const std::vector<std::string> valid = valid_names(false);
    spec.fail(fmt::format("unknown source '{}'{}", spec.name(),
                          suggestion(spec.name(), valid, "use " + listed(valid))));
  }
  const FileLocation location = file_location(spec.text());
  const std::string& path = location.file;
  if (location.column != 0) spec.fail("a column can be chosen of vectors only; leave out :column");
  check_regular_file(path, option);  // before a reader opens it, which does not know the option
  const SourceEntry* entry = source_of_kind(kind_of_file(path, option + " " + spec.text()));
  if (entry == nullptr) {
    spec.fail("neither its content nor its name says what kind of file it is; use " +
              listed(valid_names(true)));
  }
  if (entry->unusable != nullptr) spec.fail(entry->unusable);
  return *entry;
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
    source.spec = is_file(*source.entry) ? Spec::whole(text, option) : Spec::parse(text, option);
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
  const FileLocation location = file_location(path);
  const SourceEntry* entry = source_of_kind(kind_by_suffix(location.file));
  const Spec spec = Spec::whole(path, option);
  if (entry == nullptr || entry->functions->save == nullptr ||
      !has_writable_suffix(location.file)) {
    std::vector<std::string> valid;
    for (const SourceEntry& each : table) {
      if (each.functions->save != nullptr) valid.emplace_back(each.usage);
    }
    spec.fail("the kind of file is not known by its name; use " + listed(valid));
  }
  if (entry->unusable != nullptr) spec.fail(entry->unusable);
  return *entry;
}

}  // namespace

std::span<const SourceEntry> sources() {
  return table;
}

const SourceEntry* source_of_kind(FileKind kind) {
  const auto* entry = std::ranges::find(table, kind, &SourceEntry::kind);
  return kind == FileKind::none || entry == std::end(table) ? nullptr : entry;
}

bool names_matrix_file(const std::string& text) {
  if (text.find('/') != std::string::npos) return true;
  if (is_generator(text)) return false;
  const std::string file = file_location(text).file;
  return kind_by_suffix(file) != FileKind::none || is_existing_file(file);
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
  agree(comm, [&] { entry = &find_writer(path, ""); });
  entry->functions->save(path, matrix, comm, progress);
}

void check_matrix_target(const std::string& path, const std::string& option, const Comm& comm) {
  agree(comm, [&] {
    find_writer(path, option);
    if (comm.rank != 0) return;
    check_output_path(file_location(path).file, option);
    check_hdf5_target(path, option, Hdf5Object::group);
  });
}

}  // namespace rowhalo
