// SPDX-License-Identifier: BSD-3-Clause
//
// The report as JSON (names and nesting: CONTRACT, report.schema.json) and as CSV.
// What was not measured is null; so are NaN and infinity, which JSON does not have. The two 64-bit
// hashes are strings, since many readers keep numbers as doubles.
#include <fmt/format.h>

#include <cmath>

#include "io/report/json.hpp"
#include "io/report/writers.hpp"

namespace rowhalo {

namespace {

std::string hexadecimal(std::uint64_t value) {
  return fmt::format("0x{:016x}", value);
}

const char* name_of(RunStatus status) {
  switch (status) {
    case RunStatus::failed:
      return "failed";
    case RunStatus::interrupted:
      return "interrupted";
    case RunStatus::ok:
      break;
  }
  return "ok";
}

Json spread_json(const Spread& spread) {
  return {{"min", spread.min}, {"mean", spread.mean}, {"max", spread.max}};
}

Json provenance_json(const Provenance& p) {
  return {{"version", p.version},
          {"git", p.git},
          {"compiler", p.compiler},
          {"flags", p.flags},
          {"mpi", p.mpi},
          {"cuda", or_null(p.cuda)},
          {"nccl", or_null(p.nccl)},
          {"petsc", or_null(p.petsc)},
          {"hdf5", or_null(p.hdf5)},
          {"hosts", p.hosts},
          {"devices", p.devices},
          {"time", p.time}};
}

Json matrix_json(const MatrixReport& m) {
  Json row_length = spread_json(m.row_length);
  row_length["stddev"] = m.row_length_stddev;
  return {{"source", m.source},
          {"rows", m.rows},
          {"columns", m.columns},
          {"nonzeros", m.nonzeros},
          {"field", m.field},
          {"symmetry", m.symmetry},
          {"block", m.block},
          {"fingerprint", m.fingerprint ? Json(hexadecimal(*m.fingerprint)) : Json(nullptr)},
          {"row_length", row_length}};
}

Json partition_json(const PartitionReport& p) {
  Json candidates = Json::array();
  for (const PartitionJudgement& c : p.candidates) candidates.push_back(judgement_json(c));
  return {{"name", p.name},
          {"ranks", p.ranks},
          {"rows", spread_json(p.rows)},
          {"nonzeros", spread_json(p.nonzeros)},
          {"imbalance", p.imbalance},
          {"edge_cut", p.edge_cut},
          {"nodes", p.nodes},
          {"hierarchical", p.hierarchical},
          {"reorder", p.reorder},
          {"candidates", candidates}};
}

Json halo_json(const HaloReport& h) {
  Json candidates = Json::array();
  for (const Candidate& c : h.candidates) {
    candidates.push_back({{"name", c.name},
                          {"graph", c.graph},
                          {"seconds", or_null(c.seconds)},
                          {"exposed_seconds", or_null(c.exposed_seconds)},
                          {"reason", c.reason}});
  }
  return {{"transport", h.transport},
          {"graph", h.graph},
          {"schedule", h.schedule},
          {"neighbors", {{"mean", h.neighbors.mean}, {"max", h.neighbors.max}}},
          {"messages", h.messages},
          {"bytes_total", h.bytes_total},
          {"bytes_max_rank", h.bytes_max_rank},
          {"messages_between_nodes", h.messages_between_nodes},
          {"bytes_between_nodes", h.bytes_between_nodes},
          {"sent_between_nodes",
           {{"messages", h.sent_between_nodes.messages}, {"bytes", h.sent_between_nodes.bytes}}},
          {"boundary_rows", h.boundary_rows},
          {"poison", h.poison},
          {"jitter_seconds", h.jitter_seconds},
          {"candidates", candidates}};
}

Json formats_tried_json(const std::vector<Candidate>& candidates) {
  Json list = Json::array();
  for (const Candidate& c : candidates) {
    list.push_back({{"name", c.name},
                    {"seconds", or_null(c.seconds)},
                    {"setup_seconds", or_null(c.setup_seconds)},
                    {"reason", c.reason}});
  }
  return list;
}

Json kernel_json(const KernelReport& k) {
  return {{"format", k.format},
          {"boundary_format", k.boundary_format},
          {"device", k.device},
          {"precision", name_of(k.precision)},
          {"bytes", k.bytes},
          {"flops", k.flops},
          {"footprint_bytes", k.footprint_bytes},
          {"setup_seconds", k.setup_seconds},
          {"choice_seconds", k.choice ? Json(k.choice->seconds) : Json(nullptr)},
          {"choice_products", k.choice ? Json(k.choice->products) : Json(nullptr)},
          {"candidates", formats_tried_json(k.candidates)}};
}

Json timing_json(const TimingReport& t) {
  return {{"batches", t.batches},
          {"iterations", t.iterations},
          {"median_seconds", t.median_seconds},
          {"min_seconds", t.min_seconds},
          {"p95_seconds", t.p95_seconds},
          {"phases",
           {{"pack", t.phases.pack},
            {"exchange", t.phases.exchange},
            {"interior", t.phases.interior},
            {"boundary", t.phases.boundary}}},
          {"exposed_seconds", t.exposed_seconds}};
}

Json performance_json(const PerformanceReport& p) {
  return {{"gflops", p.gflops},
          {"gbytes_per_second", p.gbytes_per_second},
          {"read_bandwidth_gbytes", or_null(p.read_bandwidth_gbytes)},
          {"share_of_read_bandwidth", or_null(p.share_of_read_bandwidth)}};
}

Json validation_json(const ValidationReport& v) {
  return {{"against", v.against},
          {"passed", v.passed},
          {"max_error_ratio", v.max_error_ratio},
          {"worst_row", v.worst_row < 0 ? Json(nullptr) : Json(v.worst_row)},
          {"rows_checked", v.rows_checked},
          {"rows_unchecked", v.rows_unchecked},
          {"y_hash", hexadecimal(v.y_hash)},
          {"petsc_seconds", or_null(v.petsc_seconds)},
          {"note", v.note}};
}

Json bandwidth_json(const BandwidthReport& b) {
  return {{"read", b.read}, {"copy", b.copy}, {"triad", b.triad}};
}

Json output_json(const OutputReport& o) {
  return {
      {"path", o.path}, {"read_bytes", o.read_bytes}, {"bytes", o.bytes}, {"seconds", o.seconds}};
}

Json formats_json(const std::vector<FormatReport>& formats) {
  Json list = Json::array();
  for (const FormatReport& f : formats) {
    list.push_back({{"name", f.name},
                    {"baseline", f.baseline},
                    {"seconds", or_null(f.seconds)},
                    {"graph_seconds", or_null(f.graph_seconds)},
                    {"batches", f.batches},
                    {"bytes", f.bytes},
                    {"footprint_bytes", f.footprint_bytes},
                    {"gflops", f.gflops},
                    {"gbytes_per_second", f.gbytes_per_second},
                    {"share_of_read_bandwidth", or_null(f.share_of_read_bandwidth)},
                    {"cold_seconds", or_null(f.cold_seconds)},
                    {"parameters", f.parameters},
                    {"bytes_per_nonzero", f.bytes_per_nonzero},
                    {"padding", f.padding},
                    {"coalescing", or_null(f.coalescing)},
                    {"balance", or_null(f.balance)},
                    {"setup_seconds", f.setup_seconds},
                    {"setup_products", f.setup_products},
                    {"max_error_ratio", f.max_error_ratio},
                    {"y_hash", hexadecimal(f.y_hash)},
                    {"passed", f.passed},
                    {"rows_unchecked", f.rows_unchecked},
                    {"reason", f.reason},
                    {"candidates", formats_tried_json(f.candidates)}});
  }
  return list;
}

Json cases_json(const std::vector<CaseReport>& cases) {
  Json list = Json::array();
  for (const CaseReport& c : cases) {
    list.push_back({{"format", c.format},
                    {"transport", c.transport},
                    {"graph", c.graph},
                    {"median_seconds", or_null(c.median_seconds)},
                    {"exposed_seconds", or_null(c.exposed_seconds)},
                    {"max_error_ratio", c.max_error_ratio},
                    {"y_hash", hexadecimal(c.y_hash)},
                    {"passed", c.passed},
                    {"rows_unchecked", c.rows_unchecked},
                    {"reason", c.reason}});
  }
  return list;
}

template <class T, class Function>
Json section(const std::optional<T>& value, Function function) {
  return value ? function(*value) : Json(nullptr);
}

}  // namespace

Json report_json(const RunReport& r) {
  return {{"schema_version", schema_version},
          {"command", r.command},
          {"argv", r.argv},
          {"status", name_of(r.status)},
          {"verdict", r.verdict},
          {"provenance", provenance_json(r.provenance)},
          {"matrix", matrix_json(r.matrix)},
          {"partition", section(r.partition, partition_json)},
          {"halo", section(r.halo, halo_json)},
          {"kernel", section(r.kernel, kernel_json)},
          {"setup",
           {{"read_seconds", r.setup.read_seconds},
            {"partition_seconds", r.setup.partition_seconds},
            {"plan_seconds", r.setup.plan_seconds},
            {"convert_seconds", r.setup.convert_seconds},
            {"upload_seconds", r.setup.upload_seconds},
            {"coo_to_csr_seconds", or_null(r.setup.coo_to_csr_seconds)}}},
          {"memory",
           {{"peak_bytes_max_rank", r.memory.peak_bytes_max_rank},
            {"device_bytes_max_rank", r.memory.device_bytes_max_rank},
            {"read_peak_bytes_max_rank", r.memory.read_peak_bytes_max_rank}}},
          {"timing", section(r.timing, timing_json)},
          {"performance", section(r.performance, performance_json)},
          {"validation", section(r.validation, validation_json)},
          {"bandwidth", section(r.bandwidth, bandwidth_json)},
          {"output", section(r.output, output_json)},
          {"info", section(r.info, info_json)},
          {"communication", section(r.communication, communication_json)},
          {"formats", formats_json(r.formats)},
          {"cases", cases_json(r.cases)}};
}

namespace {

/// A report with every section, so that all runs have the same columns.
RunReport complete_report() {
  RunReport report;
  report.partition.emplace();
  report.halo.emplace();
  report.kernel.emplace();
  report.timing.emplace();
  report.performance.emplace();
  report.validation.emplace();
  report.bandwidth.emplace();
  report.output.emplace();
  report.info.emplace().statistics.emplace();
  report.communication.emplace();
  return report;
}

/// As RFC 4180 wants it; null, NaN and infinity are empty.
std::string csv_field(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_number_float() && !std::isfinite(value.get<double>())) return "";
  if (!value.is_string()) return value.dump();
  std::string text = value.get<std::string>();
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

/// Goes through the names of `layout` and looks each up in `values`, which may be null.
void flatten(const Json& layout, const Json& values, const std::string& prefix, std::string& names,
             std::string& fields) {
  for (const auto& item : layout.items()) {
    const Json value = values.is_object() ? values.at(item.key()) : Json(nullptr);
    if (item.value().is_object()) {
      flatten(item.value(), value, prefix + item.key() + ".", names, fields);
    } else if (!item.value().is_array()) {
      if (!names.empty()) {
        names += ',';
        fields += ',';
      }
      names += prefix;
      names += item.key();
      fields += csv_field(value);
    }
  }
}

}  // namespace

std::string to_json(const RunReport& report) {
  // Command lines and paths may hold bytes that are no UTF-8.
  return report_json(report).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_csv(const RunReport& report) {
  std::string names, fields;
  if (!report.formats.empty()) {  // `kernels`: a line a format
    std::string lines;
    for (const Json& format : formats_json(report.formats)) {
      names.clear();
      fields.clear();
      flatten(format, format, "", names, fields);
      lines += fields + "\n";
    }
    return names + "\n" + lines;
  }
  flatten(report_json(complete_report()), report_json(report), "", names, fields);
  return names + "\n" + fields + "\n";
}

}  // namespace rowhalo
