// SPDX-License-Identifier: BSD-3-Clause
//
// Many products in which x really changes: before each one the owned entries become 1, -1, 2 or 0.5
// times what they were at first, and y must be that times the first y, bit for bit; every entry of
// every product is checked where it is, and one number comes back at the end. Delays on all ranks
// and poisoned ghosts let no exchange be right by luck. The first y is that of transport mpi.
//
// A few products by default; a soak is a matter of the environment:
//   ROWHALO_SOAK_PRODUCTS   products of each transport
//   ROWHALO_SOAK_TRANSPORT  only the transport of this name
//   ROWHALO_SOAK_JITTER     longest delay in microseconds
//   ROWHALO_SOAK_FORMAT     of the local rows, one with the bits of csr
//   ROWHALO_SOAK_SCHEDULE   overlap or blocking
#include <cstdlib>

#include "miniapp/bench/baselines/baselines.hpp"
#include "miniapp/tune/choose.hpp"
#include "tests/miniapp/halo.hpp"
#include "tests/miniapp/soak_device.hpp"

using namespace rowhalo;
using namespace rowhalo::test;

namespace {

constexpr bool on_gpu = [] {
#ifdef ROWHALO_TEST_GPU
  return true;
#else
  return false;
#endif
}();

double setting(const char* name, double fallback) {
  const char* text = std::getenv(name);
  return text == nullptr ? fallback : std::strtod(text, nullptr);
}

/// Every transport that can serve here, without a graph and, where it can, with one.
std::vector<TransportVariant> soaked_transports() {
  const char* name = std::getenv("ROWHALO_SOAK_TRANSPORT");
  std::vector<TransportVariant> variants;
  for (const TransportEntry& entry : transports()) {
    if (!site_for(entry) || (name != nullptr && std::string(name) != entry.name)) continue;
    variants.push_back({&entry, false});
    if (on_gpu && entry.graphs) variants.push_back({&entry, true});
  }
  return variants;
}

/// Numbers in the memory of the device.
template <class T>
class Numbers {
 public:
  explicit Numbers(const std::vector<T>& values)
      : memory_(test_site().device, values.size() * sizeof(T)), size_(values.size()) {
    copy_between(test_site().device, memory_.data(), values.data(), size_ * sizeof(T));
  }
  T* data() const { return reinterpret_cast<T*>(memory_.data()); }
  std::int64_t size() const { return static_cast<std::int64_t>(size_); }
  std::vector<T> to_host() const {
    std::vector<T> values(size_);
    copy_between(test_site().device, values.data(), memory_.data(), size_ * sizeof(T));
    return values;
  }

 private:
  VectorMemory memory_;
  std::size_t size_;
};

/// The problem's kernels, and the first y.
struct Subject {
  explicit Subject(const Problem& problem)
      : problem(problem),
        block(problem.matrix, Precision::fp64, problem.device),
        kernels(make_local_kernels(problem.parts(block), order(), format(), format())),
        x(std::vector<double>(problem.x.begin(), problem.x.begin() + problem.matrix.owned_columns)),
        y(std::vector<double>(problem.matrix.owned_rows)) {
    if (on_gpu) stream.emplace();
  }
  static Spec format() {
    const char* name = std::getenv("ROWHALO_SOAK_FORMAT");
    return Spec::parse(name != nullptr ? name : "sell", "--format");
  }
  static Order order() {
    const char* name = std::getenv("ROWHALO_SOAK_SCHEDULE");
    return name != nullptr && std::string(name) == "blocking" ? Order::blocking : Order::overlap;
  }
  Stream in_order() const { return stream ? stream->stream() : Stream{}; }

  const Problem& problem;
  LoadedMatrix block;
  LocalKernels kernels;
  Numbers<double> x, y;
  std::optional<StreamHandle> stream;
};

/// Products of one transport on x that changes; y is compared with `expected` times the factor.
class Soak {
 public:
  Soak(const Subject& subject, const TransportVariant& transport, const Disturbances& disturbances,
       const Numbers<double>& expected)
      : subject_(subject),
        expected_(expected),
        operator_(
            subject.kernels,
            {disturbed(transport.entry->make({subject.problem.plan, NumberType::fp64, 2,
                                              subject.problem.comm, *site_for(*transport.entry)}),
                       disturbances, test_site().device, subject.problem.comm.rank),
             nullptr}),
        vectors_{operator_.make_vector(), operator_.make_vector()} {
    const auto product = [this](std::int64_t k) { this->product(k); };
    if (transport.graph) {
      sequence_.emplace(product, subject.in_order(), products_per_graph);
    } else {
      sequence_.emplace(product);
    }
  }

  void run(std::int64_t products) {
    constexpr std::int64_t stretch = 1000;  // between looks at the transport's health
    const std::int64_t step = sequence_->step();
    for (std::int64_t left = (products + step - 1) / step * step; left > 0; left -= stretch) {
      sequence_->run(std::min(left, stretch));
      if (on_gpu) synchronize(subject_.in_order());
      operator_.check();
    }
  }
  /// One product more; leaves what it gave in `y`.
  void run_once() {
    sequence_->run(sequence_->step());
    if (on_gpu) synchronize(subject_.in_order());
  }
  std::uint64_t products() const { return product_.to_host()[0]; }
  std::uint64_t wrong() const { return wrong_.to_host()[0]; }
  std::vector<double> y() const { return subject_.y.to_host(); }
  /// NCCL waits for the end of graphs that use it.
  void close() {
    sequence_.reset();
    operator_.close();
  }

 private:
  void product(std::int64_t k) {
    const HaloVector& x = vectors_[k % 2];
    auto* owned = reinterpret_cast<double*>(x.data);
    const Stream stream = subject_.in_order();
    const Numbers<double>& first = subject_.x;
    const Numbers<double>& y = subject_.y;
#ifdef ROWHALO_TEST_GPU
    renew_x(product_.data(), first.size(), first.data(), owned, stream);
    operator_.apply(1, x, 0, y.data(), stream);
    check_y(product_.data(), y.size(), expected_.data(), y.data(), wrong_.data(), stream);
#else
    const double factor = soak_factor(*product_.data());
    for (std::int64_t j = 0; j < first.size(); ++j) owned[j] = factor * first.data()[j];
    operator_.apply(1, x, 0, y.data(), stream);
    for (std::int64_t i = 0; i < y.size(); ++i) {
      *wrong_.data() += y.data()[i] == factor * expected_.data()[i] ? 0 : 1;
    }
    ++*product_.data();
#endif
  }

  const Subject& subject_;
  const Numbers<double>& expected_;
  Operator operator_;
  HaloVector vectors_[2];
  Numbers<std::uint64_t> product_{std::vector<std::uint64_t>{0}};
  Numbers<std::uint64_t> wrong_{std::vector<std::uint64_t>{0}};
  std::optional<ProductSequence> sequence_;
};

/// y of the x that all products are multiples of, by transport mpi.
std::vector<double> first_y(const Subject& subject) {
  const Numbers<double> nothing(std::vector<double>(subject.problem.matrix.owned_rows));
  Soak soak(subject, {&find_transport("mpi"), false}, {}, nothing);
  soak.run_once();
  std::vector<double> y = soak.y();
  soak.close();
  for (double& value : y) value /= soak_factor(0);
  return y;
}

void soak_in(const Problem& problem) {
  const Subject subject(problem);
  const std::vector<double> y = first_y(subject);
  const Numbers<double> expected(y);
  const auto products =
      static_cast<std::int64_t>(setting("ROWHALO_SOAK_PRODUCTS", on_gpu ? 1000 : 100));
  const Disturbances disturbances{true, 1e-6 * setting("ROWHALO_SOAK_JITTER", 20)};
  const std::vector<TransportVariant> soaked = soaked_transports();
  INFO("ROWHALO_SOAK_TRANSPORT names none that can serve here");
  REQUIRE_ALL_RANKS(!soaked.empty());
  for (const TransportVariant& transport : soaked) {
    INFO(transport.entry->name << ", graph " << transport.graph);
    Soak soak(subject, transport, disturbances, expected);
    soak.run(products);
    REQUIRE_ALL_RANKS(soak.wrong() == 0);
    REQUIRE_ALL_RANKS(soak.products() >= static_cast<std::uint64_t>(products));
    soak.close();
  }
}

}  // namespace

TEST_CASE("every product of a changing x has the bits of transport mpi", "[short]") {
  soak_in(Problem("stencil27:6", "rows", {}, Precision::fp64, 1, 0));
  // No pattern to lean on: neighbours that send nothing back, messages of all sizes.
  soak_in(Problem("random:rows=301,columns=301,row=3,seed=3", "nnz", 3, Precision::fp64, 1, 0));
}

TEST_CASE("the soak sees one wrong entry", "[short]") {
  const Problem problem("stencil5:9", "rows", {}, Precision::fp64, 1, 0);
  const Subject subject(problem);
  std::vector<double> y = first_y(subject);
  const bool has_rows = !y.empty();
  if (has_rows) y.back() *= 1 + 1e-15;
  const Numbers<double> expected(y);
  Soak soak(subject, {&find_transport("mpi"), false}, {}, expected);
  soak.run(3);
  REQUIRE_ALL_RANKS(soak.wrong() == (has_rows ? 3u : 0u));
  soak.close();
}
