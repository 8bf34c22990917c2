// SPDX-License-Identifier: BSD-3-Clause
//
// Multiplies a 3 x 3 matrix with the installed kernels: exit status 0 when every format of the CPU
// that takes it is right.
#include <cstdio>
#include <vector>

#include "io/report/writers.hpp"
#include "kernels/formats.hpp"
#include "partition/base/errors.hpp"

int main() {
  using namespace rowhalo;
  const std::vector<Offset> offsets{0, 2, 2, 4};
  const std::vector<LocalIndex> indices{0, 2, 1, 2};
  const std::vector<double> values{1, 2, 3, 4}, x{1, 10, 100};
  const CsrView matrix{
      3,          3, offsets.back(), offsets.data(), indices.data(), values.data(), Precision::fp64,
      Device::cpu};
  int right = 0;
  for (const FormatEntry& format : formats()) {
    if (format.device != Device::cpu) continue;
    std::vector<double> y(3, 7);
    try {
      const Spec options = Spec::parse(format.name, "format");
      const LocalProduct product{.x = {x.data(), NumberType::fp64},
                                 .y = {y.data(), NumberType::fp64}};
      make_kernel(format, matrix, all_rows(3), options)->apply(product, {});
    } catch (const InputError& refusal) {
      std::printf("%s\n", refusal.what());
      continue;
    }
    std::printf("%s: %g %g %g, JSON schema %d\n", format.name, y[0], y[1], y[2], schema_version);
    if (y != std::vector<double>{201, 0, 430}) return 1;
    ++right;
  }
  return right >= 7 ? 0 : 1;
}
