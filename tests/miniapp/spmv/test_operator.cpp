// SPDX-License-Identifier: BSD-3-Clause
//
// The distributed product against the definition of its bits: every matrix, partition, renumbering,
// format, transport and schedule gives the y that a serial loop over the source's rows gives; only
// baselines among the schedules sum up otherwise.
#include "miniapp/bench/baselines/baselines.hpp"
#include "miniapp/tune/choose.hpp"
#include "miniapp/tune/products.hpp"
#include "tests/miniapp/problem.hpp"
#include "tests/partition/matrices.hpp"

using namespace rowhalo;
using namespace rowhalo::test;

namespace {

/// The products of `problem` in one choice of everything.
class Choice {
 public:
  Choice(Progress& progress, const Problem& problem, Schedule schedule, const FormatRequest& format,
         const TransportVariant& transport, const Disturbances& disturbances = {},
         const PartialSums* sums = nullptr)
      : progress_(progress),
        problem_(problem),
        site_(test_site()),
        clock_(problem.device, stream()),
        multiplied_(sums != nullptr ? sums->matrix : problem.matrix),
        plan_(make_halo_plan(problem.comm, multiplied_, progress)),
        block_(multiplied_, problem.precision, problem.device),
        columns_(columns_for(schedule, multiplied_, problem.precision, problem.device)),
        x_(stored(problem.x_of(multiplied_), problem.precision)) {
    if (sums != nullptr) {
      sums_.emplace(problem.comm, *sums, plan_, problem.precision, problem.device, false, x_);
      setting_.sums = &*sums_;
    }
    setting_.hooks = hooks_of(schedule, disturbances, problem.device, problem.comm.rank);
    setting_.schedule = schedule;
    setting_.columns = columns_.get();
    refused_ = name_kernels(setting_, format, kernels_).has_value();
    if (!refused_)
      products_.emplace(setting_, kernels_.kernels, transport, problem.alpha, problem.beta);
  }

  bool refused() const { return refused_; }
  const LocalKernels& kernels() const { return kernels_.kernels; }

  /// Hash of y after one product, or after the sequence that is timed; `ratio` of the former.
  std::uint64_t single(ErrorRatio& ratio) {
    const std::vector<std::byte> y = products_->run_single(y_before());
    const CheckedProduct checked{problem_.matrix, problem_.precision, problem_.alpha, problem_.beta,
                                 problem_.x,      problem_.y0,        y.data()};
    ratio = compare(problem_.comm, checked, reference_product(checked));
    return hash(y);
  }
  std::uint64_t repeated() {
    const CheckedRun run = products_->run_checked(y_before());
    ghosts_are_right_ = run.ghosts_are_right;
    return hash(run.y);
  }
  bool ghosts_are_right() const { return ghosts_are_right_; }
  void close() { products_->close(); }

 private:
  Stream stream() {
    if (problem_.device == Device::cpu) return {};
    if (!stream_) stream_.emplace();
    return stream_->stream();
  }
  /// NaN where it must not be read.
  std::vector<std::byte> y_before() const {
    std::vector<std::byte> y = stored(problem_.y0, problem_.precision);
    if (problem_.beta == 0) std::fill(y.begin(), y.end(), std::byte{0xff});
    return y;
  }
  std::uint64_t hash(const std::vector<std::byte>& y) const {
    return hash_vector(problem_.comm, problem_.matrix, problem_.precision, y.data());
  }

  Progress& progress_;
  const Problem& problem_;
  std::optional<StreamHandle> stream_;
  ComputeSite site_;
  DeviceClock clock_;
  const LocalMatrix& multiplied_;
  HaloPlan plan_;
  LoadedMatrix block_;
  std::unique_ptr<const LoadedColumns> columns_;
  std::optional<PartialSumKernels> sums_;
  std::vector<std::byte> x_;
  Measuring measuring_{problem_.comm, clock_, progress_};
  ProductSetting setting_{
      {problem_.comm, multiplied_, block_, plan_, site_}, measuring_, stream(), x_};
  ChosenKernels kernels_;
  bool refused_ = false, ghosts_are_right_ = false;
  std::optional<Products> products_;
};

bool is_first(const TransportVariant& transport) {
  return transport.entry == &transports().front();
}

/// What takes the host along in every product runs with one transport; nothing is replayed then.
bool suits(const ScheduleEntry& schedule, const TransportVariant& transport) {
  return !schedule.baseline || (is_first(transport) && !transport.graph);
}

/// Formats that may not refuse; others may, for rows that do not suit them.
bool takes_any_rows(const std::string& format) {
  return format.starts_with("csr") && format != "csr-panels" && format != "csr-packed" &&
         format != "csr-binned";
}

/// How much of formats x transports a problem is tried with.
enum class Extent { all, with_nccl, one_format };

/// Making a choice takes many collectives, on GPUs milliseconds: all formats meet the first
/// transport and p2p in a graph, all transports meet one format. Random pairs: test_differential.
bool worth_a_try(Extent extent, const std::string& format, const TransportVariant& transport) {
  if (format == "sell") return true;
  if (extent == Extent::one_format) return false;
  return is_first(transport) || (std::string(transport.entry->name) == "p2p" && transport.graph);
}

/// A communicator of NCCL takes a second to make: it is tried with one format, on a few problems.
void check_all(Progress& progress, const Problem& problem, Extent extent) {
  const bool with_nccl = extent == Extent::with_nccl;
  REQUIRE_ALL_RANKS(fingerprint(problem.comm, problem.matrix) == problem.source_fingerprint);
  for (const std::string& format : usable_formats(problem.device)) {
    for (const TransportVariant& transport : usable_transports(test_site(), true)) {
      if (!worth_a_try(extent, format, transport)) continue;
      for (const ScheduleEntry& schedule : schedules()) {
        const bool nccl = std::string(transport.entry->name) == "nccl";
        const bool all = nccl && with_nccl && format == "sell" && !transport.graph;
        if (nccl && !all && schedule.schedule != Schedule::overlap) continue;
        if (nccl && !(with_nccl && format == "sell")) continue;
        if (!all && !suits(schedule, transport)) continue;
        const bool usual = schedule.schedule == Schedule::overlap;
        if (extent == Extent::one_format && !usual && !is_first(transport)) continue;
        INFO(format << ", " << transport.entry->name << ", graph " << transport.graph << ", "
                    << schedule.name);
        progress.tick();
        Choice choice(progress, problem, schedule.schedule, {format, ""}, transport);
        const FormatEntry& entry = find_format(format, problem.device);
        if (schedule.schedule == Schedule::split && entry.canonical) {
          REQUIRE_ALL_RANKS(choice.refused());
          continue;
        }
        REQUIRE_ALL_RANKS(!choice.refused() || !takes_any_rows(format));
        if (choice.refused()) continue;
        ErrorRatio ratio;
        const std::uint64_t hash = choice.single(ratio);
        const std::uint64_t repeated = choice.repeated();
        choice.close();
        INFO(name_of(problem.precision) << ", beta " << problem.beta << ": error " << ratio.max
                                        << " of its bound in row " << ratio.worst_row);
        const bool right =
            choice.ghosts_are_right() && ratio.passed() && ratio.rows == problem.matrix.info.rows;
        const bool same_bits =
            (!entry.canonical || schedule.baseline || hash == problem.expected_hash) &&
            (problem.beta != 0 || !entry.repeatable || hash == repeated);
        CHECK(choice.ghosts_are_right());
        CHECK(same_bits);
        REQUIRE_ALL_RANKS(right && same_bits);
      }
    }
  }
}

}  // namespace

TEST_CASE("every way of computing y gives the bits of the definition") {
  Progress progress;
  // What formats do differs little between 3 ranks and more.
  const bool cpu = test_site().device == Device::cpu;
  const Extent most = cpu && world().size > 3 ? Extent::one_format : Extent::all;
  for (const std::string& text : matrices) {
    Progress progress;
    const MatrixInfo source = load_matrix(text, 0, world(), progress).info;
    for (const PartitionerEntry& partition : partitioners()) {
      for (const std::optional<std::uint64_t> seed :
           {std::optional<std::uint64_t>{}, std::optional<std::uint64_t>{5}}) {
        MatrixInfo info = source;
        if (seed) info.grid.reset();
        if (!suits(partition, info)) continue;
        INFO(text << ", " << partition.name << ", shuffled " << seed.has_value());
        const bool first = partition.name == partitioners().front().name;
        const bool few = first && seed && text == matrices[1];
        const Extent extent = few ? Extent::with_nccl : first ? most : Extent::one_format;
        check_all(progress, Problem(text, partition.name, seed, Precision::fp64, 1, 0), extent);
        if (!first) continue;  // says nothing new
        check_all(progress, Problem(text, partition.name, seed, Precision::fp32, -0.5, 0.75),
                  seed ? Extent::one_format : most);
      }
    }
  }
}

TEST_CASE("a different format for the boundary rows changes no bit", "[short]") {
  Progress progress;
  const Problem problem("stencil27:5", "rows", 9, Precision::fp64, 2, 0);
  Choice choice(progress, problem, Schedule::overlap,
                {"sell", problem.device == Device::gpu ? "csr-scalar" : "csr"},
                {&find_transport("mpi"), false});
  REQUIRE_ALL_RANKS(!choice.refused());
  ErrorRatio ratio;
  REQUIRE_ALL_RANKS(choice.single(ratio) == problem.expected_hash);
  REQUIRE_ALL_RANKS(ratio.passed());
  choice.close();
}

TEST_CASE("boundary rows have a stream of their own on GPUs where both parts have rows") {
  const Problem problem("stencil27:5", "rows", {}, Precision::fp64, 1, 0.75);
  const LoadedMatrix block(problem.matrix, problem.precision, problem.device);
  const bool both = block.interior().count > 0 && block.boundary().count > 0;
  const auto has_side = [&](const char* name, Order order) {
    const Spec format = Spec::parse(name, "--format");
    return make_local_kernels(problem.parts(block), order, format, format).side != nullptr;
  };
  const bool on_gpu = problem.device == Device::gpu;
  REQUIRE_ALL_RANKS(has_side("sell", Order::overlap) == (on_gpu && both));
  REQUIRE_ALL_RANKS(!has_side("sell", Order::blocking));
  if (!on_gpu) return;
  const Spec early = Spec::parse("csr-packed", "--format");
  const LocalKernels kernels =
      make_local_kernels(problem.parts(block), Order::overlap, early, early);
  REQUIRE_ALL_RANKS(!kernels.interior->starts_early() || kernels.side == nullptr);
}

TEST_CASE("kernels promise the bits of csr where both their formats and their schedule do") {
  const Problem problem("stencil27:5", "rows", {}, Precision::fp64, 1, 0);
  const char* other = problem.device == Device::gpu ? "csr-vector" : "dia:max_padding=1e9";
  const auto promises = [&](const char* interior, const char* boundary, Schedule schedule) {
    Progress progress;
    Choice choice(progress, problem, schedule, {interior, boundary},
                  {&find_transport("mpi"), false});
    choice.close();
    return choice.kernels().canonical;
  };
  REQUIRE_ALL_RANKS(promises("sell", "sell", Schedule::overlap));
  REQUIRE_ALL_RANKS(!promises(other, "sell", Schedule::overlap));
  REQUIRE_ALL_RANKS(!promises("sell", other, Schedule::overlap));
  REQUIRE_ALL_RANKS(promises("sell", other, Schedule::blocking));
  for (const ScheduleEntry& entry : schedules()) {
    if (entry.schedule == Schedule::split) continue;  // refuses it
    REQUIRE_ALL_RANKS(promises("sell", "sell", entry.schedule) == !entry.baseline);
  }
  REQUIRE_ALL_RANKS(!promises(other, "sell", Schedule::split));
}

TEST_CASE("poisoned ghosts and late ranks change no bit", "[short]") {
  Progress progress;
  const Problem problem("stencil27:5", "rows", 9, Precision::fp64, 2, 0);
  const bool on_gpu = problem.device == Device::gpu;
  std::vector<std::string> formats{"sell",
                                   on_gpu ? "csr-balanced" : "dia:max_padding=1e9"};  // for split
  // Starts before what stands in front of it has ended.
  if (on_gpu) formats.emplace_back("ell-vector:threads=1");
  for (const TransportVariant& transport : usable_transports(test_site(), true)) {
    const bool in_line = transport.entry->in_line;  // where blocking
    for (const ScheduleEntry& schedule : schedules()) {
      if (!suits(schedule, transport)) continue;
      for (const std::string& format : formats) {
        const bool split = schedule.schedule == Schedule::split;
        if (split != (format == formats[1])) continue;
        const bool matters = split || schedule.schedule == Schedule::overlap || in_line;
        if (format != formats.front() && !matters) continue;
        INFO(format << ", " << transport.entry->name << ", graph " << transport.graph << ", "
                    << schedule.name);
        Choice choice(progress, problem, schedule.schedule, {format, ""}, transport,
                      {true, 100e-6});
        ErrorRatio ratio;
        const std::uint64_t hash = choice.single(ratio);
        const std::uint64_t repeated = choice.repeated();
        choice.close();
        REQUIRE_ALL_RANKS(ratio.passed());
        REQUIRE_ALL_RANKS(hash == repeated);
        REQUIRE_ALL_RANKS(split || schedule.baseline || hash == problem.expected_hash);
      }
    }
  }
}

TEST_CASE("products with partial sums of other ranks", "[short]") {
  Progress progress;
  for (const char* text : {"rmat:9", "random:rows=40,columns=400,row=60,seed=2"}) {
    for (const Precision precision : {Precision::fp64, Precision::fp32}) {
      const double beta = precision == Precision::fp64 ? 0 : -0.5;
      const Problem problem(text, "nnz", {}, precision, 2, beta);
      const PartialSums sums = make_partial_sums(problem.comm, problem.matrix, progress);
      const std::int64_t all = sum_over_ranks(problem.comm, sums.sums.owned_rows);
      REQUIRE_ALL_RANKS((all > 0) == (problem.comm.size > 1));
      const bool on_gpu = problem.device == Device::gpu;
      std::vector<std::string> formats{"sell", on_gpu ? "csr-balanced" : "csr-omp"};
      // Starts before what stands in front of it has ended.
      if (on_gpu) formats.emplace_back("ell-vector:threads=1");
      for (const TransportVariant& transport : usable_transports(test_site(), true)) {
        for (const ScheduleEntry& schedule : schedules()) {
          if (schedule.baseline) continue;
          for (const std::string& format : formats) {
            const bool nccl = std::string(transport.entry->name) == "nccl";
            if (format != "sell" && (nccl || !worth_a_try(Extent::all, format, transport)))
              continue;
            INFO(text << ", " << format << ", " << transport.entry->name << ", graph "
                      << transport.graph << ", " << schedule.name);
            progress.tick();
            Choice choice(progress, problem, schedule.schedule, {format, ""}, transport,
                          {precision == Precision::fp64, 50e-6}, &sums);
            const LocalKernels& kernels = choice.kernels();
            const bool beside = format == "csr-balanced";
            REQUIRE_ALL_RANKS(kernels.order != Order::blocking || !kernels.side == !beside);
            ErrorRatio ratio;
            const std::uint64_t hash = choice.single(ratio);
            const std::uint64_t repeated = choice.repeated();
            choice.close();
            REQUIRE_ALL_RANKS(ratio.passed() && ratio.rows == problem.matrix.info.rows);
            REQUIRE_ALL_RANKS(problem.beta != 0 || hash == repeated);
            REQUIRE_ALL_RANKS(choice.ghosts_are_right());
          }
        }
      }
    }
  }
}

TEST_CASE("partial sums keep values in fewer bytes only where they may") {
  Progress progress;
  const Problem problem("rmat:12", "nnz", {}, Precision::fp64, 1, 0);
  const PartialSums sums = make_partial_sums(problem.comm, problem.matrix, progress);
  const HaloPlan plan = make_halo_plan(problem.comm, sums.matrix, progress);
  const std::vector<std::byte> x = stored(problem.x_of(sums.matrix), problem.precision);
  const auto bytes = [&](bool value_codes) {
    const PartialSumKernels kernels(problem.comm, sums, plan, problem.precision, problem.device,
                                    value_codes, x);
    return sum_over_ranks(problem.comm, kernels.added()->work().matrix_bytes);
  };
  const std::int64_t entries = sum_over_ranks(problem.comm, sums.added.offsets.back());
  REQUIRE_ALL_RANKS((entries > 0) == (problem.comm.size > 1));
  const std::int64_t whole = entries * std::int64_t{sizeof(double)};
  REQUIRE_ALL_RANKS(bytes(false) >= whole);
  REQUIRE_ALL_RANKS(entries == 0 || bytes(true) < whole);
}

TEST_CASE("formats look for values in fewer bytes where a sample does not rule them out") {
  const auto looks = [](const char* matrix, Precision precision, bool allowed = true) {
    const Problem problem(matrix, "rows", {}, precision, 1, 0);
    const LoadedMatrix block(problem.matrix, precision, problem.device, allowed);
    return block.view().value_codes;
  };
  for (const Precision precision : {Precision::fp64, Precision::fp32}) {
    REQUIRE_ALL_RANKS(looks("stencil7:12", precision));
    REQUIRE_ALL_RANKS(looks("random:rows=900,row=9,values=integers", precision));
    REQUIRE_ALL_RANKS(!looks("random:rows=900,row=9", precision));
    REQUIRE_ALL_RANKS(!looks("stencil7:12", precision, false));
  }
  REQUIRE_ALL_RANKS(looks("random:rows=900,row=9", Precision::mixed));
}

TEST_CASE("a matrix that was not cut by columns refuses the order split") {
  const Problem problem("stencil5:4", "rows", {}, Precision::fp64, 1, 0);
  const LoadedMatrix block(problem.matrix, problem.precision, problem.device);
  const Spec format = Spec::parse("coo", "--format");
  CHECK_THROWS_AS(
      make_local_kernels(problem.parts(block), order_of(Schedule::petsc_like), format, format),
      std::logic_error);
  for (const Order order : {Order::overlap, Order::blocking, Order::split}) {
    CHECK(order_of(schedule_of(order)) == order);
    CHECK(!entry_of(schedule_of(order)).baseline);
  }
}
