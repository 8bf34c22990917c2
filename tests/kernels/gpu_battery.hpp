// SPDX-License-Identifier: BSD-3-Clause
//
// The battery (battery.hpp) in device memory: kernels for GPU formats, and their products.
#pragma once

#include "kernels/gpu/device/device_csr.hpp"
#include "kernels/gpu/device/device_row_list.hpp"
#include "partition/base/errors.hpp"
#include "partition/base/numbers.hpp"
#include "tests/catch.hpp"
#include "tests/kernels/battery.hpp"

namespace rowhalo::battery {

enum class Baselines { included, left_out };

/// Every GPU format of the table with the options that change what it does.
inline std::vector<std::string> gpu_specs(Baselines baselines) {
  std::vector<std::string> specs;
  for (const FormatEntry& entry : formats()) {
    if (entry.device != Device::gpu || !unusable_reason(entry).empty()) continue;
    if (entry.baseline && baselines == Baselines::left_out) continue;
    specs.push_back(entry.name);
  }
  for (const char* spec : {"csr-scalar:block=32",
                           "csr-vector:threads=2",
                           "csr-vector:threads=4",
                           "csr-vector:threads=8",
                           "csr-vector:threads=16",
                           "csr-vector:threads=32,block=1024",
                           "csr-vector:threads=64",
                           "csr-vector:threads=512",
                           "csr-vector:block=64",
                           "csr-balanced:hubs=20",
                           "csr-balanced:hubs=0,chunks=1",
                           "csr-balanced:columns=16",
                           "csr-balanced:columns=32",
                           "csr-balanced:codes=off",
                           "csr-balanced:codes=off,hubs=20",
                           "csr-balanced:codes=off,columns=16",
                           "csr-packed:block=32",
                           "csr-packed:codes=off",
                           "csr-packed:block=1024",
                           "csr-binned:panels=3,load=50",
                           "csr-panels:panels=1",
                           "csr-panels:panels=3",
                           "csr-cached:window=16,block=32",
                           "coo:block=32",
                           "ell:max_padding=1e9",
                           "ell-vector:threads=1,max_padding=1e9",
                           "ell-vector:threads=8,max_padding=1e9,block=32",
                           "blocked-ell:b=3,max_padding=1e9",
                           "blocked-ell:b=8,max_padding=1e9",
                           "hyb:width=0,max_padding=1e9",
                           "hyb:width=5,max_padding=1e9",
                           "jds:block=32",
                           "dia:max_padding=1e9",
                           "bsr:b=2,max_padding=1e9",
                           "bsr:b=3,max_padding=1e9",
                           "bsr:b=5,max_padding=1e9",
                           "bsr:b=8,max_padding=1e9",
                           "sell:sigma=64,max_padding=1e9,unroll=4",
                           "sell:max_padding=1e9,unroll=5",
                           "sell:max_padding=1e9,unroll=9",
                           "sell:sigma=100000,max_padding=1e9,block=32",
                           "asell:codes=off,max_padding=1e9,unroll=low",
                           "asell:max_padding=1e9,unroll=low",
                           "asell:max_padding=1e9,unroll=highest",
                           "asell:max_padding=1e9,unroll=medium",
                           "asell:codes=off,max_padding=1e9,unroll=medium",
                           "asell:codes=off,max_padding=1e9,unroll=high",
                           "asell:sigma=64,max_padding=1e9",
                           "asell:codes=off,sigma=100000,max_padding=1e9,unroll=highest",
                           "dense-global:block=32",
                           "dense-shared:block=32",
                           "dense-split:threads=32,rows=1",
                           "dense-split:threads=32,rows=4",
                           "dense-split:threads=256,rows=2"}) {
    specs.push_back(spec);
  }
  if (baselines == Baselines::left_out) return specs;
  for (const char* spec : {"cusparse-sell:c=3,max_padding=1e9", "cusparse-bsr:b=2,max_padding=1e9",
                           "cusparse-bsr:b=5,order=row,max_padding=1e9", "cublas:layout=rows"}) {
    specs.push_back(spec);
  }
  return specs;
}

inline const FormatEntry& gpu_entry(const std::string& spec) {
  return find_format(Spec::parse(spec, "--format").name(), Device::gpu);
}

/// Of what a format takes most of the battery's matrices are not: those of dense rows, whole
/// blocks, diagonals, rows of one length, very long rows.
inline bool takes_few(const std::string& spec) {
  for (const char* name : {"dense-", "cublas", "cusparse-bsr", "dia", "bsr", "blocked-ell",
                           "csr-panels", "csr-packed:block=32"}) {
    if (spec.rfind(name, 0) == 0) return true;
  }
  return false;
}

/// A matrix and one of its row lists on the device.
template <class T>
struct DeviceProblem {
  DeviceProblem(const Typed<T>& typed, const NamedList& named)
      : csr(typed.view()), list(named.list), all(named.all), rows(named.view().count) {}

  RowListView view() const { return all ? all_rows(rows) : list.view(); }

  DeviceCsr csr;
  DeviceRowList list;
  bool all;
  LocalIndex rows;
};

/// Rounded to a type.
inline std::vector<double> rounded(NumberType type, std::vector<double> values) {
  for (double& value : values) value = rounded_to(type, value);
  return values;
}

inline std::vector<std::byte> stored(NumberType type, const std::vector<double>& values) {
  std::vector<std::byte> bytes(values.size() * bytes_of(type));
  store(type, values.data(), std::ssize(values), bytes.data());
  return bytes;
}

/// A matrix in a precision and one of its row lists on the device; x and y beside it.
struct StoredProblem {
  StoredProblem(const Matrix& matrix, Precision precision, const NamedList& named)
      : precision(precision),
        values(stored(matrix_type(precision), matrix.values)),
        csr({matrix.rows(), matrix.columns, matrix.offsets.back(), matrix.offsets.data(),
             matrix.indices.data(), values.data(), precision, Device::cpu}),
        list(named.list),
        rows(named.all ? all_rows(matrix.rows()) : list.view()) {}

  std::vector<double> product(const SpmvKernel& kernel, double alpha, const std::vector<double>& x,
                              double beta, const std::vector<double>& before) const {
    const NumberType type = vector_type(precision);
    const DeviceArray<std::byte> device_x{std::span<const std::byte>(stored(type, x))};
    const DeviceArray<std::byte> device_y{std::span<const std::byte>(stored(type, before))};
    const StreamHandle stream;
    kernel.apply({alpha, {device_x.data(), type}, beta, {device_y.data(), type}}, stream.stream());
    stream.synchronize();
    const std::vector<std::byte> bytes = device_y.to_host();
    std::vector<double> y(before.size());
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = load(type, bytes.data(), std::int64_t(i));
    return y;
  }

  Precision precision;
  std::vector<std::byte> values;
  DeviceCsr csr;
  DeviceRowList list;
  RowListView rows;
};

/// What a conversion works in: as in the program, or each piece anew, for the sanitizers.
enum class ConversionMemory { reused, fresh };

/// The kernel, or null where the format refuses: with its name and a reason.
template <class T>
std::unique_ptr<SpmvKernel> make_or_refuse(const std::string& text, const DeviceProblem<T>& a,
                                           ConversionMemory memory = ConversionMemory::reused) {
  const Spec spec = Spec::parse(text, "--format");
  const FormatEntry& format = find_format(spec.name(), Device::gpu);
  try {
    if (memory == ConversionMemory::fresh) return format.make(a.csr.view(), a.view(), spec);
    return make_kernel(format, a.csr.view(), a.view(), spec);
  } catch (const InputError& error) {
    const std::string prefix = "--format " + text + ": ", message = error.what();
    INFO(message);
    REQUIRE(message.rfind(prefix, 0) == 0);
    REQUIRE(message.size() > prefix.size());
    return nullptr;
  }
}

enum class Launch { plain, graph };

/// One product into a copy of y, x and y in device memory.
template <class T>
std::vector<T> device_product(const SpmvKernel& kernel, T alpha, const std::vector<T>& x, T beta,
                              const std::vector<T>& y, Launch launch = Launch::plain) {
  const StreamHandle handle;
  const Stream stream = handle.stream();
  const DeviceArray<T> device_x{std::span<const T>(x)}, device_y{std::span<const T>(y)};
  const auto apply = [&] {
    constexpr NumberType type = number_type_of<T>;
    kernel.apply({alpha, {device_x.data(), type}, beta, {device_y.data(), type}}, stream);
  };
  if (launch == Launch::graph) {
    const GraphExec graph(stream, apply);
    graph.launch(stream);
    handle.synchronize();
  } else {
    apply();
    handle.synchronize();
  }
  return device_y.to_host();
}

/// Rows of these lengths; the columns of a row are `step` apart, from a start of its own.
inline Matrix with_lengths(const std::vector<int>& lengths, LocalIndex columns, LocalIndex step) {
  Matrix matrix;
  matrix.name = "rows of given lengths";
  matrix.columns = columns;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const auto start = static_cast<std::int64_t>(mix64(3, i) % 1000);
    for (int k = 0; k < lengths[i]; ++k) {
      const auto column = static_cast<LocalIndex>((start + std::int64_t{k} * step) % columns);
      matrix.add(column, integer_at(i, static_cast<std::uint64_t>(k)));
    }
    matrix.end_row();
  }
  return matrix;
}

/// Every list of rows, exact on integers; returns what the kernel chose for all rows.
template <class T>
std::string check_exact(const Matrix& matrix, const std::string& spec) {
  const Typed<T> typed(matrix);
  const auto x = integers<T>(matrix.columns, 1), before = integers<T>(matrix.rows(), 2);
  std::string parameters;
  for (const NamedList& list : row_lists(matrix.rows())) {
    INFO(spec << ", " << matrix.name << ", " << list.name);
    const DeviceProblem<T> problem(typed, list);
    const auto kernel = make_or_refuse(spec, problem);
    REQUIRE(kernel);
    if (list.all) parameters = kernel->work().parameters;
    const auto right = by_the_bits<T>(typed, list.rows, 2, x, -1, before);
    for (int repeat = 0; repeat < 2; ++repeat) {
      CHECK(device_product<T>(*kernel, 2, x, -1, before) == right);
      CHECK(device_product<T>(*kernel, 2, x, -1, before, Launch::graph) == right);
    }
  }
  return parameters;
}

}  // namespace rowhalo::battery
