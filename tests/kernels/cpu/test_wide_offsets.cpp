// SPDX-License-Identifier: BSD-3-Clause
//
// More than 2^31 nonzeros on a rank, without the memory: the first row's entries are pages that are
// mapped but never touched, the listed second row stands behind them.
#include <sys/mman.h>

#include <memory>

#include "tests/catch.hpp"
#include "tests/kernels/battery.hpp"

using namespace rowhalo;
using namespace rowhalo::battery;

namespace {

template <class T>
struct Unmap {
  std::size_t size;
  void operator()(T* data) const { munmap(data, size * sizeof(T)); }
};
template <class T>
using Mapped = std::unique_ptr<T, Unmap<T>>;

/// `size` zeros that cost memory only where they are touched; null where the system does not allow
/// it.
template <class T>
Mapped<T> untouched(std::size_t size) {
  void* data = mmap(nullptr, size * sizeof(T), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return {data == MAP_FAILED ? nullptr : static_cast<T*>(data), Unmap<T>{size}};
}

}  // namespace

TEST_CASE("rows that begin beyond 2^31 nonzeros") {
  const Offset begin = (Offset{1} << 31) + 10, end = begin + 3;
  const auto indices = untouched<LocalIndex>(static_cast<std::size_t>(end));
  const auto values = untouched<float>(static_cast<std::size_t>(end));
  if (!indices || !values) {
    NOT_TESTED("this system does not map 17 GB without backing them");
    return;
  }
  for (LocalIndex k = 0; k < 3; ++k) {
    indices.get()[begin + k] = 2 * k;
    values.get()[begin + k] = static_cast<float>(k + 1);
  }
  const std::vector<Offset> offsets{0, begin, end};
  const CsrView matrix{
      2, 5, end, offsets.data(), indices.get(), values.get(), Precision::fp32, Device::cpu};
  const std::vector<LocalIndex> second{1};
  const RowList list = make_row_list(second);
  const std::vector<float> x{1, 100, 10, 100, 1000};
  for (const std::string& spec : cpu_specs(false)) {
    INFO(spec);
    const auto kernel = make_kernel(spec, matrix, list.view());
    const auto y = product(*kernel, 1.0F, x, 0.0F, std::vector<float>{-7, -7});
    CHECK(y == std::vector<float>{-7, 1 + 20 + 3000});
    CHECK(kernel->work().flops == 6);
  }
}
