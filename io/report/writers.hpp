// SPDX-License-Identifier: BSD-3-Clause
//
// The writers of a RunReport. They run on rank 0 only and know nothing of MPI.
#pragma once

#include <iosfwd>
#include <string>

#include "io/report/report.hpp"

namespace rowhalo {

/// The table for people. `color` allows ANSI colours.
void write_table(std::ostream& out, const RunReport& report, bool color);
/// --explain: why `auto` chose what it chose, and where the time of a product or iteration goes.
void write_explanation(std::ostream& out, const RunReport& report, bool color);
/// Version, ranks, hosts and devices: the first lines of a run.
void write_header(std::ostream& out, const Provenance& provenance, bool color);
/// `FOM: <name> <value> <unit>` lines and the last line, `RESULT: PASS|FAIL <why>`.
void write_fom_lines(std::ostream& out, const RunReport& report);
void write_result_line(std::ostream& out, const RunReport& report, bool color);

std::string to_json(const RunReport& report);
/// Header line and one line of values; nested names are joined by '.', lists are left out. Of
/// `kernels` a line per format, of `solve` a line per method.
std::string to_csv(const RunReport& report);

/// A line `from to entries bytes`, then one a flow: what rank `from` sends to rank `to` a product.
std::string communication_text(const CommunicationReport& communication);

/// The text of report.schema.json: a JSON Schema that takes what to_json writes and nothing else.
std::string report_schema();

/// Writes the report as HDF5 under a temporary name that is then renamed (layout: hdf5.cpp), in a
/// build with HDF5 (io/hdf5/target.hpp). Throws InputError (run time) naming the file when that
/// fails.
void write_hdf5_report(const std::string& path, const RunReport& report);

/// Writes `text` to `path` under a temporary name that is then renamed; '-' is stdout.
/// Throws InputError (run time) naming the file when that fails.
void write_text_file(const std::string& path, const std::string& text);
/// Throws InputError (usage) if write_text_file(path) could not work: directory missing, not
/// writable.
void check_text_target(const std::string& path, const std::string& option);

}  // namespace rowhalo
