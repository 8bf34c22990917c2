// SPDX-License-Identifier: BSD-3-Clause
//
// The one description of a report: for every struct its fields, in order, each with the name that
// it has in JSON, CSV, HDF5 and the schema, its value, what it means and its unit. The writers are
// walks over these lists: json.cpp and hdf5.cpp. A new field is a member of its struct
// (report.hpp) and a line here, or beside its struct (info.hpp, network.hpp, solve.hpp, system.hpp,
// telemetry.hpp); `test_io "[update]"` then writes report.schema.json.
//
//   field(name, value, description)          a number is at least 0; an empty optional is null
//   field(name, value, description, range)   other limits, for the schema
#pragma once

#include "io/report/pair_fields.hpp"
#include "io/report/reasons.hpp"
#include "io/report/report.hpp"

namespace rowhalo {

// Groups of values that are an object in JSON without being a struct of their own.
struct RowLengthFields {
  Spread spread;
  double stddev = 0;
};
struct NeighborCounts {
  double mean = 0, max = 0;
};
struct Traffic {
  NodeTraffic sent;
  int entry_bytes = 0;
};

void fields(const Spread& s, auto&& field) {
  field("min", s.min, "smallest");
  field("mean", s.mean, "mean");
  field("max", s.max, "largest");
}

void fields(const BuildProvenance& p, auto&& field) {
  field("version", p.version, "of rowhalo");
  field("git", p.git, "commit, empty when unknown");
  field("compiler", p.compiler, "name and version");
  field("flags", p.flags, "of the compiler");
  field("mpi", p.mpi, "library version");
  field("cuda", p.cuda, "version; null: built without");
  field("nccl", p.nccl, "version; null: built without");
  field("petsc", p.petsc, "version; null: built without");
  field("hdf5", p.hdf5, "version; null: built without");
}

void fields(const Provenance& p, auto&& field) {
  fields(static_cast<const BuildProvenance&>(p), field);
  field("hosts", p.hosts, "one per rank");
  field("devices", p.devices, "one per rank: cpu or the name of the GPU");
  field("time", p.time, "start, UTC, ISO 8601");
}

void fields(const RowLengthFields& r, auto&& field) {
  field("min", r.spread.min, "smallest", finite_or_null);
  field("mean", r.spread.mean, "mean");
  field("max", r.spread.max, "largest", finite_or_null);
  field("stddev", r.stddev, "standard deviation", finite_or_null);
}

void fields(const MatrixReport& m, auto&& field) {
  field("source", m.info.source, "as the user named it");
  field("rows", m.info.rows, "rows");
  field("columns", m.info.columns, "columns");
  field("nonzeros", m.nonzeros, "stored entries, symmetric halves completed");
  field("field", Word{m.info.field, {"real", "integer", "pattern"}}, "of the source");
  field("symmetry", Word{m.info.symmetry, {"general", "symmetric", "skew-symmetric"}},
        "as stored in the source");
  field("block", m.info.block, "rows and columns that stay together", positive);
  field("fingerprint", m.fingerprint ? std::optional(Hash{*m.fingerprint}) : std::nullopt,
        "sum mod 2^64 of a hash of every entry, hexadecimal since 64-bit integers are lost by "
        "readers that keep doubles; null: no entry was read");
  field("row_length", RowLengthFields{m.row_length, m.row_length_stddev}, "entries of a row");
}

void fields(const PartitionReport& p, auto&& field) {
  field("name", p.name, "partitioner");
  field("ranks", p.ranks, "ranks", positive);
  field("rows", rows_of(p.statistics), "rows of a rank");
  field("nonzeros", nonzeros_of(p.statistics), "nonzeros of a rank");
  field("imbalance", p.statistics.imbalance, "most nonzeros of a rank over the mean", positive);
  field("edge_cut", p.statistics.edge_cut,
        "nonzeros whose column belongs to another rank than their row");
  field("nodes", p.nodes, "that the ranks are on, or seem to be (--ranks-per-node)", positive);
  field("hierarchical", p.hierarchical, "over nodes first, then over the ranks of each");
  field("reorder", Word{p.reorder, {"none", "rcm"}}, "order of the rows on a rank");
  field("candidates", p.candidates,
        "partitioners that auto looked at, their times predicted; empty when one was named");
}

void fields(const TransportCandidate& c, auto&& field) {
  field("name", label_of(c), "transport, and the schedule if another was tried with it");
  field("graph", c.graph, "replayed from a CUDA graph");
  field("seconds", c.seconds, "of a product; null: not timed (seconds)");
  field("exposed_seconds", c.exposed_seconds, "of the halo exchange that is not hidden (seconds)");
  field("outcome", word_of(c.outcome, outcome_names), "what became of it");
  field("reason", reason_text(c), "why it was chosen or not timed");
}

void fields(const NeighborCounts& n, auto&& field) {
  field("mean", n.mean, "mean");
  field("max", n.max, "largest");
}

void fields(const Traffic& t, auto&& field) {
  field("messages", t.sent.messages, "messages");
  field("bytes", t.sent.entries * t.entry_bytes, "bytes");
}

void fields(const HaloReport& h, auto&& field) {
  field("transport", h.transport, "name of the transport");
  field("graph", h.graph, "products were replayed from a CUDA graph");
  field("schedule", h.schedule, "name of the schedule");
  field("steps", h.steps, "of a product, in their order; (beside): in a second stream");
  field("schedule_reason", schedule_reason(h),
        "why it is not the one that was asked for; empty: it is, or nothing was multiplied");
  field("neighbors", NeighborCounts{h.planned.neighbors_mean, h.planned.neighbors_max},
        "ranks that a rank sends to");
  field("messages", h.planned.messages, "of a product, all ranks");
  field("bytes_total", h.planned.entries_total * h.entry_bytes,
        "sent in a product by all ranks (bytes)");
  field("bytes_max_rank", h.planned.entries_max_rank * h.entry_bytes,
        "most that a rank sends in a product (bytes)");
  field("partial_sums", h.partial_sums,
        "of the entries sent in a product, those that are sums for rows of the receiver, not of x");
  field("messages_between_nodes", h.planned_between_nodes.messages,
        "messages of a product from one node to another, all ranks, as the plan says");
  field("bytes_between_nodes", h.planned_between_nodes.entries * h.entry_bytes,
        "bytes of a product sent from one node to another, all ranks, as the plan says");
  field("sent_between_nodes", Traffic{h.sent_between_nodes, h.entry_bytes},
        "what the transport sends from one node to another in a product, all ranks");
  field("boundary_rows", h.planned.boundary_rows, "rows with a ghost column, all ranks");
  field("poison", h.poison,
        "ghosts were NaN from their use to the next exchange; times mean little");
  field("jitter_seconds", h.jitter_seconds,
        "ranks were held up by random times up to this; times mean little (seconds)");
  field("candidates", h.candidates, "transports that auto considered; empty when one was named");
}

void fields(const FormatCandidate& c, auto&& field) {
  field("name", c.name, "format");
  field("seconds", c.seconds, "of a product; null: not timed (seconds)");
  field("setup_seconds", c.setup_seconds, "conversion; null: it was not converted (seconds)");
  field("outcome", word_of(c.outcome, outcome_names), "what became of it");
  field("reason", reason_text(c), "why it was chosen or not timed");
}

void fields(const KernelReport& k, auto&& field) {
  field("format", k.format, "storage format");
  field("boundary_format", k.boundary_format, "of boundary rows");
  field("parameters", k.parameters,
        "what the format chose by itself for the interior rows of rank 0, e.g. offsets 100 %; 2 "
        "values");
  field("vectors_at_once", k.vectors_at_once,
        "that a kernel multiplies; 1 beside several vectors: one product after the other, each "
        "with its exchange",
        positive);
  field("device", Word{k.device, {"cpu", "gpu"}}, "where it ran");
  field("precision",
        Word{std::string(name_of(k.precision)), {"fp64", "fp32", "mixed", "fp16", "bf16"}},
        "of matrix and vectors");
  field("bytes", k.bytes, "moved in a product, all ranks (bytes)");
  field("flops", k.flops, "floating-point operations of a product, all ranks");
  field("footprint_bytes", k.footprint_bytes, "the format occupies, all ranks (bytes)");
  field("setup_seconds", k.setup_seconds, "conversion to the format, slowest rank (seconds)");
  field("choice_seconds", part(k.choice, &ChoiceCost::seconds),
        "that auto took for conversions and trials, slowest rank; null: the format was named "
        "(seconds)");
  field("choice_products", part(k.choice, &ChoiceCost::products),
        "the same over the time of a product in the chosen format");
  field("candidates", k.candidates, "formats that auto considered; empty when one was named");
}

void fields(const SetupReport& s, auto&& field) {
  field("read_seconds", s.read_seconds, "reading or generating (seconds)");
  field("partition_seconds", s.partition_seconds, "partitioning and migration (seconds)");
  field("plan_seconds", s.plan_seconds, "local numbers and halo plan (seconds)");
  field("convert_seconds", s.convert_seconds, "conversion to formats (seconds)");
  field("upload_seconds", s.upload_seconds, "copies to the device (seconds)");
  field("transpose_seconds", s.transpose_seconds,
        "--transpose; null: not given, or the matrix equals its transpose (seconds)");
  field("coo_to_csr_seconds", s.coo_to_csr_seconds,
        "kernels on a GPU: CSR made there from coordinates; null: not measured (seconds)");
}

void fields(const MemoryReport& m, auto&& field) {
  field("peak_bytes_max_rank", m.peak_bytes_max_rank, "resident memory at its peak (bytes)");
  field("device_bytes_max_rank", m.device_bytes_max_rank, "device memory (bytes)");
  field("read_peak_bytes_max_rank", m.read_peak_bytes_max_rank,
        "resident memory at its peak when the matrix has been read (bytes)");
}

void fields(const WallReport& w, auto&& field) {
  field("seconds", w.seconds, "from the start of the process until the report was written");
  field("start_seconds", w.start, "until the matrix was asked for: loader, MPI, CUDA (seconds)");
  field("read_seconds", w.read, "reading or generating (seconds)");
  field("partition_seconds", w.partition, "partitioning, migration, plan (seconds)");
  field("choose_seconds", w.choose, "conversion, trials of formats and transports (seconds)");
  field("measure_seconds", w.measure, "products or solvers that are reported (seconds)");
  field("validate_seconds", w.validate, "references and PETSc (seconds)");
  field("write_seconds", w.write, "convert: the file (seconds); y and x are written later");
  field("other_seconds", w.other, "what is left, such as vectors and uploads (seconds)");
}

void fields(const PhaseReport& p, auto&& field) {
  field("pack", p.pack, "gathering what is sent (seconds)");
  field("exchange", p.exchange, "until the ghosts are there (seconds)");
  field("interior", p.interior, "rows without ghosts (seconds)");
  field("boundary", p.boundary, "rows with ghosts (seconds)");
}

void fields(const TimingReport& t, auto&& field) {
  field("batches", t.batches,
        "timed batches; 0: a signal came in the first, after `iterations` products");
  field("iterations", t.iterations, "products per batch");
  field("median_seconds", t.median_seconds, "median over batches (seconds)");
  field("median_low_seconds", t.median_low_seconds,
        "the median lies between this and the next with a confidence of 95 % (seconds)");
  field("median_high_seconds", t.median_high_seconds, "see median_low_seconds");
  field("seconds_per_vector", t.seconds_per_vector,
        "median_seconds over the vectors of a product (seconds)");
  field("min_seconds", t.min_seconds, "fastest batch (seconds)");
  field("p95_seconds", t.p95_seconds, "95th percentile of batches (seconds)");
  field("phases", t.phases, "mean of one product in each phase, from a pass of its own");
  field("exposed_seconds", t.exposed_seconds,
        "product minus the same product without exchange (seconds); null: a signal came before it "
        "was measured");
}

void fields(const PerformanceReport& p, auto&& field) {
  field("gflops", p.gflops, "10^9 flops per second");
  field("gbytes_per_second", p.gbytes_per_second,
        "10^9 bytes of CSR per second, whatever the format");
  field("read_bandwidth_gbytes", p.read_bandwidth_gbytes,
        "measured read bandwidth of all devices (10^9 bytes per second)");
  field("share_of_read_bandwidth", p.share_of_read_bandwidth,
        "kernel.bytes over time and read bandwidth");
}

inline std::vector<Hash> hashes_of(const std::vector<std::uint64_t>& numbers) {
  std::vector<Hash> hashes;
  for (const std::uint64_t number : numbers) hashes.push_back({number});
  return hashes;
}

void fields(const ValidationReport& v, auto&& field) {
  field("against", word_of(v.against, against_names), "what y was compared with");
  field("passed", v.passed, "every row within its bound");
  field("max_error_ratio", v.max_error_ratio, "largest error over its bound; null: infinite",
        finite_or_null);
  field("worst_row", v.worst_row < 0 ? std::nullopt : std::optional(v.worst_row),
        "row of the source where it is; null: none");
  field("rows_checked", v.rows_checked, "rows");
  field("rows_unchecked", v.rows_unchecked,
        "rows too long for any rounding bound, by formats without the bits of csr");
  field("y_hash", Hash{v.y_hash},
        "sum mod 2^64 of a hash of every entry of y, hexadecimal since 64-bit integers are lost by "
        "readers that keep doubles");
  field("y_hashes", hashes_of(v.y_hashes),
        "of each vector, the first as y_hash; in formats with the bits of csr "
        "that of a run with this vector alone; empty: the command has no y of its own");
  field("petsc_seconds", v.petsc_seconds, "of PETSc's product on the same ranks (seconds)");
  field("note", v.note, "e.g. why PETSc was not used; empty otherwise");
}

void fields(const BandwidthReport& b, auto&& field) {
  field("read", b.read, "sum of one array");
  field("copy", b.copy, "bytes read and written");
  field("triad", b.triad, "bytes read and written");
}

void fields(const OutputReport& o, auto&& field) {
  field("path", o.path, "as on the command line");
  field("read_bytes", o.read_bytes, "size of the file that was read; 0: the matrix was generated");
  field("bytes", o.bytes, "size of the file");
  field("seconds", o.seconds, "writing, slowest rank (seconds)");
}

void fields(const FormatReport& f, auto&& field) {
  field("name", f.name, "as in --format");
  field("baseline", f.baseline, "a vendor's library");
  field("seconds", f.seconds, "of one product, called (seconds); null: it could not run");
  field("graph_seconds", f.graph_seconds,
        "of one product, replayed from a CUDA graph (seconds); null: no graphs here");
  field("seconds_per_vector", f.seconds_per_vector,
        "the lesser of the two over the vectors of a product (seconds)");
  field("vectors_at_once", f.vectors_at_once,
        "1: a product of several vectors is one for each in turn");
  field("batches", f.batches,
        "whose median the times are; fewer where the format is far behind; 0: it could not run");
  field("bytes", f.bytes, "moved per product (bytes)");
  field("footprint_bytes", f.footprint_bytes, "held by the format (bytes)");
  field("gflops", f.gflops, "1e9 operations per second");
  field("gbytes_per_second", f.gbytes_per_second, "bytes of CSR over time (1e9 bytes per second)");
  field("share_of_read_bandwidth", f.share_of_read_bandwidth, "bytes over time and read bandwidth");
  field("cold_seconds", f.cold_seconds,
        "of a product after the caches were flushed; null: not measured (seconds)");
  field("parameters", f.parameters, "what the format chose by itself, e.g. threads=8");
  field("bytes_per_nonzero", f.bytes_per_nonzero, "of matrix and indices that a product reads");
  field("padding", f.padding, "slots over nonzeros, less 1");
  field("coalescing", f.coalescing,
        "used bytes over bytes of the sectors that loads of values touch; null: not known", share);
  field("balance", f.balance, "lane steps (CPU: threads) at work over all; null: not known", share);
  field("setup_seconds", f.setup_seconds, "conversion from CSR (seconds)");
  field("setup_products", f.setup_products, "the same in products");
  field("refill_seconds", f.refill_seconds,
        "new values from CSR, stored in full (seconds); null: the format takes none");
  field("refill_products", f.refill_products, "the same in products");
  field("max_error_ratio", f.max_error_ratio, "largest error over its bound; null: infinite",
        finite_or_null);
  field("y_hash", Hash{f.y_hash}, "as in validation");
  field("y_hashes", hashes_of(f.y_hashes), "as in validation; empty: it could not run");
  field("passed", f.outcome != Outcome::wrong, "y was right, or the format refused");
  field("rows_unchecked", f.rows_unchecked, "as in validation");
  field("outcome", word_of(f.outcome, outcome_names),
        "compared: it has its times, and y was not wrong");
  field("reason", f.reason, "why it could not run or failed; empty otherwise");
  field("candidates", f.candidates, "of auto: formats that it considered; empty for others");
}

void fields(const CaseReport& c, auto&& field) {
  field("partition", c.partition, "partitioner");
  field("format", c.format, "of the interior rows; empty when the partitioner refused");
  field("transport", c.transport, "empty when the format or the partitioner refused");
  field("graph", c.graph, "products were replayed from a CUDA graph");
  field("median_seconds", c.median_seconds, "of one product (seconds); null: it could not run");
  field("median_low_seconds", c.median_low_seconds, "as in timing");
  field("median_high_seconds", c.median_high_seconds, "as in timing");
  field("exposed_seconds", c.exposed_seconds, "product minus the same without exchange (seconds)");
  field("max_error_ratio", c.max_error_ratio, "largest error over its bound; null: infinite",
        finite_or_null);
  field("y_hash", Hash{c.y_hash}, "as in validation");
  field("passed", c.outcome != Outcome::wrong, "y was right, or the format refused");
  field("rows_unchecked", c.rows_unchecked, "as in validation");
  field("outcome", word_of(c.outcome, outcome_names),
        "chosen: it is what the other sections describe");
  field("reason", c.reason, "why it could not run or failed; empty otherwise");
}

void fields(const TuningReport& t, auto&& field) {
  field("file", t.file, "that format, transport, schedule and partition were taken from");
  field("differences", t.differences, "what is another now than it was for the file");
}

void fields(const RunReport& r, auto&& field) {
  field("schema_version", schema_version, "version of this layout",
        Range{schema_version, schema_version});
  field("command", r.command, "subcommand, e.g. run");
  field("argv", r.argv, "the command line");
  field("status", word_of(r.status, status_names), "how the run ended");
  field("verdict", r.verdict, "why, as in the RESULT line");
  field("provenance", r.provenance, "where the numbers come from");
  field("system", r.system, "the machine; null: nothing was computed");
  field("matrix",
        r.matrix.info.source.empty() ? std::nullopt : std::optional<MatrixReport>(r.matrix),
        "the matrix that is multiplied, with --transpose the transpose; null: the command network");
  field("transposed", r.transposed, "whether `matrix` is the transpose of the source's");
  field("vectors", r.vectors, "that a product multiplies", positive);
  field("layout", Word{r.layout, {"row", "column"}}, "how several vectors lie for the caller");
  field("partition", r.partition, "who owns which rows");
  field("halo", r.halo, "exchange of entries of x");
  field("kernel", r.kernel, "the product on a rank");
  field("tuning", r.tuning, "of --tuning; null: not given");
  field("setup", r.setup, "before the first product, slowest rank");
  field("memory", r.memory, "most on any rank");
  field("wall", r.wall, "wall clock time of rank 0");
  field("timing", r.timing, "of one product, slowest rank");
  field("performance", r.performance, "rates from the median");
  field("validation", r.validation, "check of y");
  field("pair", r.pair, "A x and A^T x in turn; null: without --pair, or a signal came before");
  field("telemetry", r.telemetry,
        "the machine while batches were timed; null: --telemetry off, or nothing was timed");
  field("bandwidth", r.bandwidth,
        "measured bandwidth of the device (1e9 bytes per second); null: not measured");
  field("output", r.output, "the file that convert wrote; null: another command");
  field("info", r.info, "of the command info; null: another command");
  field("network", r.network, "of the command network; null: another command");
  field("expected", r.expected,
        "of a product, as predicted from the file of --machine; null: not asked for");
  field("communication", r.communication,
        "of the command info: who sends what to whom before a product; null: not known");
  field("formats", r.formats, "of the command kernels: every format, fastest first");
  field("solvers", r.solvers, "of the command solve: every method, in the order of the table");
  field("time_steps", r.time_steps,
        "of solve --refill: steps with new values; null: not asked for");
  field("cases", r.cases,
        "with --format, --halo or --partition all: every combination measured in full, fastest "
        "first; the fastest that passed is what the other sections describe");
}

}  // namespace rowhalo
