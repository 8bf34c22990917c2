// SPDX-License-Identifier: BSD-3-Clause
//
// The fields of `run --pair` in a report (fields.hpp).
#pragma once

#include "io/report/report.hpp"

namespace rowhalo {

void fields(const PairSide& s, auto&& field) {
  field("partition", s.partition, "partitioner");
  field("format", s.format, "storage format");
  field("boundary_format", s.boundary_format, "of boundary rows");
  field("transport", s.transport, "name of the transport");
  field("graph", s.graph, "its products alone were replayed from a CUDA graph");
  field("schedule", s.schedule, "name of the schedule");
  field("partial_sums", s.partial_sums, "of the entries sent in a product, those that are sums");
  field("median_seconds", s.median_seconds,
        "of a product alone, median over batches between those of pairs (seconds)");
  field("host_bytes", s.host_bytes,
        "local matrix, exchange plan, on a CPU format and vectors, all ranks; 0: one operator "
        "serves for both (bytes)");
  field("device_bytes", s.device_bytes, "on GPUs: CSR arrays, format and vectors there (bytes)");
  field("validation", s.validation, "check of y as the sequence of pairs left it");
}

void fields(const PairReport& p, auto&& field) {
  field("one_operator", p.one_operator, "the matrix equals its transpose, so one operator serves");
  field("graph", p.graph, "pairs were replayed from a CUDA graph");
  field("batches", p.batches, "timed batches of pairs");
  field("iterations", p.iterations, "pairs per batch, at least");
  field("median_seconds", p.median_seconds, "of a pair, median over batches (seconds)");
  field("median_low_seconds", p.median_low_seconds,
        "the median lies between this and the next with a confidence of 95 % (seconds)");
  field("median_high_seconds", p.median_high_seconds, "see median_low_seconds");
  field("time_ratio", p.time_ratio,
        "time of a pair over the sum of both products alone, median over rounds of batches");
  field("memory_ratio", p.memory_ratio, "bytes of both operators over those of the first");
  field("product", p.product, "A x");
  field("transposed", p.transposed, "A^T x");
}

}  // namespace rowhalo
