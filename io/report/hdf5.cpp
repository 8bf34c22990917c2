// SPDX-License-Identifier: BSD-3-Clause
//
// The report as HDF5: the JSON value walked through, under the same names. An object is a group;
// its numbers, texts and truth values (0 or 1) are attributes, null an attribute without a value
// (H5S_NULL, h5py.Empty). A list of numbers or texts is a dataset; a list of objects is a group
// with one dataset a name (a column; NaN or "" where null), so that it reads as a table. The flows
// of the communication matrix stand in `communication` itself: from, to, entries, bytes.
// Of `run` there is also a group `ranks`: rows, nonzeros, boundary_rows, ghosts, sent_entries (of
// x, a product), pack_seconds, exchange_seconds, interior_seconds, boundary_seconds, a value per
// rank each; batch_seconds and local_batch_seconds (ranks x batches; seconds of one product on that
// rank, as timed and without exchange). Written by one rank; read with h5py or h5dump.
#include <algorithm>
#include <limits>
#include <utility>

#include "io/hdf5/handles.hpp"
#include "io/output_file.hpp"
#include "io/report/json.hpp"
#include "io/report/writers.hpp"

namespace rowhalo {

namespace {

/// Numbers, and truth values as 0 or 1.
std::int64_t whole_number(const Json& value) {
  return value.is_boolean() ? std::int64_t{value.get<bool>()} : value.get<std::int64_t>();
}

/// Lists with a value per rank.
Json ranks_of(const RankReport& ranks) {
  Json lists{{"rows", ranks.rows},
             {"nonzeros", ranks.nonzeros},
             {"boundary_rows", ranks.boundary_rows},
             {"ghosts", ranks.ghosts},
             {"sent_entries", ranks.sent_entries}};
  for (const PhaseReport& phases : ranks.phases) {
    const Json seconds = json_of(phases);
    for (const auto& [name, value] : seconds.items()) lists[name + "_seconds"].push_back(value);
  }
  return lists;
}

/// Writes into one file; errors as hdf5_fail, run time.
class Hdf5Report {
 public:
  explicit Hdf5Report(const std::string& path) : path_(path) {}

  void write_object(hid_t group, const Json& object) const {
    for (const auto& item : object.items()) {
      if (item.value().is_object()) {
        const Hdf5Group inner = make_group(group, item.key(), path_);
        write_object(inner.get(), item.value());
      } else if (item.value().is_array()) {
        write_list(group, item.key(), item.value());
      } else {
        write_value(group, item.key().c_str(), item.value());
      }
    }
  }

  /// A row per rank.
  void write_batches(hid_t file, const RankReport& report) const {
    const Hdf5Group group(check_(H5Gopen(file, "ranks", H5P_DEFAULT)));
    for (const auto& [name, seconds] : {std::pair{"batch_seconds", &report.batch_seconds},
                                        {"local_batch_seconds", &report.local_batch_seconds}}) {
      const hsize_t shape[] = {report.rows.size(), seconds->size() / report.rows.size()};
      write_dataset(group.get(), name, H5T_NATIVE_DOUBLE, seconds->data(), shape, path_);
    }
  }

 private:
  void write_value(hid_t group, const char* name, const Json& value) const {
    if (value.is_null()) {
      const Hdf5Space space(check_(H5Screate(H5S_NULL)));
      const Hdf5Attribute attribute(
          check_(H5Acreate(group, name, H5T_NATIVE_DOUBLE, space.get(), H5P_DEFAULT, H5P_DEFAULT)));
    } else if (value.is_string()) {
      write_attribute(group, name, value.get<std::string>(), path_);
    } else if (value.is_number_float()) {
      write_attribute(group, name, value.get<double>(), path_);
    } else {
      write_attribute(group, name, whole_number(value), path_);
    }
  }

  void write_list(hid_t group, const std::string& name, const Json& list) const {
    const bool objects = !list.empty() && list.front().is_object();
    if (!objects) {
      write_column(group, name.c_str(), list.get<std::vector<Json>>());
    } else if (name == "flows") {
      write_columns(group, list);
    } else {
      const Hdf5Group inner = make_group(group, name, path_);
      write_columns(inner.get(), list);
    }
  }

  void write_columns(hid_t group, const Json& rows) const {
    if (rows.empty()) return;
    for (const auto& item : rows.front().items()) {
      std::vector<Json> column;
      for (const Json& row : rows) column.push_back(row.at(item.key()));
      write_column(group, item.key().c_str(), column);
    }
  }

  void write_column(hid_t group, const char* name, const std::vector<Json>& values) const {
    const auto all = [&](auto property) { return std::ranges::all_of(values, property); };
    const auto whole = [](const Json& value) {
      return value.is_number_integer() || value.is_boolean();
    };
    if (all(whole)) {
      std::vector<std::int64_t> numbers;
      for (const Json& value : values) numbers.push_back(whole_number(value));
      write_dataset(group, name, numbers, path_);
    } else if (all([](const Json& value) { return value.is_number() || value.is_null(); })) {
      std::vector<double> numbers;
      for (const Json& value : values) {
        numbers.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                          : value.get<double>());
      }
      write_dataset(group, name, numbers, path_);
    } else {
      write_texts(group, name, values);
    }
  }

  void write_texts(hid_t group, const char* name, const std::vector<Json>& values) const {
    std::vector<std::string> texts;
    for (const Json& value : values) {
      texts.push_back(value.is_string() ? value.get<std::string>()
                      : value.is_null() ? ""
                                        : value.dump());
    }
    std::vector<const char*> pointers;
    for (const std::string& text : texts) pointers.push_back(text.c_str());
    const hsize_t size = pointers.size();
    write_dataset(group, name, hdf5_text_type().get(), pointers.data(), {&size, 1}, path_);
  }

  const std::string& path_;
  Hdf5Check check_{path_, "writing failed"};
};

}  // namespace

void write_hdf5_report(const std::string& path, const RunReport& report) {
  const QuietHdf5 quiet;
  write_whole(path, hdf5_image(path, [&](hid_t file) {
                const Hdf5Report writer(path);
                Json values = json_of(report);
                if (report.ranks) {
                  values["communication"] = json_of(report.ranks->communication);
                  values["ranks"] = ranks_of(*report.ranks);
                }
                writer.write_object(file, values);
                if (report.ranks) writer.write_batches(file, *report.ranks);
              }));
}

}  // namespace rowhalo
