// SPDX-License-Identifier: BSD-3-Clause
//
// Lines, for small halos: in exchange e an entry travels in one store that also holds e
// (kernels/gpu/peers/lines.cuh), to a place of its own in the receiver's memory. Thread k sends
// every line k + n * stride, then waits for every incoming line k + n * stride.
//
//     rank A                                   rank B
//     store {x[i], e} -----------------------> lines of parity e % 2: spin until they hold e
//                                              ghost = entry; boundary rows read the ghosts
//     spin on own lines <--------------------- store {x[j], e}
//
//   No fence is needed, since a line that holds e holds the entry: this spares a trip over NVLink
//   and back. Lines of even and odd exchanges lie apart. Why A may overwrite lines of e with e + 2:
//     1. A and B both send to each other in every exchange (an empty line if there are no entries);
//     2. A writes e + 2 after it has read all lines of e + 1;
//     3. B has written its lines of e + 1 after it had read all lines of e.
//     Hence, B has read the lines of e.
#include <algorithm>

#include "kernels/gpu/peers/lines.cuh"
#include "miniapp/halo/element_word.hpp"
#include "miniapp/halo/p2p/lines.hpp"
#include "miniapp/halo/p2p/waiting.cuh"

namespace rowhalo::p2p {

namespace {

/// Beside products, more would leave no room for them.
unsigned most_waiting_blocks(Place place, NumberType type) {
  return place == Place::alone ? blocks_beside_products(type) : 512;
}

/// Lines of a message; an empty one where there are no entries, to signal.
constexpr LocalIndex lines_of(LocalIndex entries) {
  return std::max<LocalIndex>(1, entries);
}

/// Bytes of a line: an entry and, beside each part of it that is stored at once, the exchange.
template <class Word>
constexpr std::size_t line_bytes() {
  static_assert(sizeof(Word) <= 8);
  return sizeof(Word) == 8 ? 16 : 8;
}
std::size_t line_bytes(NumberType type) {
  return with_element_word(type, []<class Word>(Word) { return line_bytes<Word>(); });
}

template <class Word>
struct LineArguments {
  LineTables tables;
  const Word* x;
  Word* ghosts;
};

template <class Word, Start start>
__global__ void __launch_bounds__(block_threads, least_resident_blocks)
    exchange_by_lines(LineArguments<Word> arguments) {
  const LineTables& a = arguments.tables;
  const Word* const x = arguments.x;
  const std::uint32_t first = blockIdx.x * block_threads + threadIdx.x;
  const std::uint32_t stride = gridDim.x * block_threads;
  // Mostly all that the thread has; nobody writes them, so they may come before all else.
  LineRoute route = first < a.sends ? a.routes[first] : LineRoute{};
  LineLanding landing = first < a.receives ? a.landings[first] : LineLanding{};
  enter<start>();
  const std::uint32_t exchange = a.watch.counters->exchanges + 1;
  const std::uint64_t half = exchange % 2 * a.half_bytes;
  for (std::uint32_t k = first; k < a.sends; k += stride) {
    if (k != first) route = a.routes[k];
    put_line(route.to + half, route.from < 0 ? Word{0} : load_past_l1(x + route.from), exchange);
  }
  for (std::uint32_t k = first; k < a.receives; k += stride) {
    if (k != first) landing = a.landings[k];
    const std::byte* line = a.lines + half + k * line_bytes<Word>();
    Word word{};
    wait_until(a.watch, landing.rank, exchange, entries,
               [&] { return take_line(line, exchange, word); });
    if (landing.ghost >= 0) arguments.ghosts[landing.ghost] = word;
  }
  count_exchange(a.watch.counters, exchange, 0);
}

/// Blocks that wait for lines must all find room on the device: one that does not has not sent what
/// a peer's may wait for. So many do as soon as interior rows make room.
template <class Arguments>
unsigned waiting_blocks(void (*alone)(Arguments), void (*in_line)(Arguments)) {
  static const unsigned resident = [&] {  // one pair of kernels per type of arguments
    int blocks = 0, blocks_in_line = 0;
    ROWHALO_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, alone, block_threads, 0));
    ROWHALO_CUDA(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_in_line, in_line, block_threads, 0));
    return static_cast<unsigned>(std::min(blocks, blocks_in_line) *
                                 device_attribute(cudaDevAttrMultiProcessorCount));
  }();
  return resident;
}

}  // namespace

std::uint64_t Lines::incoming_bytes(LocalIndex entries, NumberType type) {
  return lines_of(entries) * line_bytes(type);
}

Lines::Lines(const std::vector<Link>& links, std::span<const LocalIndex> send_indices,
             NumberType type, int vectors, std::byte* incoming, std::uint64_t half_bytes,
             const Watch& watch)
    : type_(type) {
  std::vector<LineRoute> routes;
  std::vector<LineLanding> landings;
  for (const Link& link : links) {
    std::byte* to = link.incoming;
    for (LocalIndex i = 0; i < lines_of(link.sends * vectors); ++i) {
      const auto entry = [&] {
        return std::int64_t{send_indices[link.sends_begin + i / vectors]} * vectors + i % vectors;
      };
      routes.push_back({to, link.sends > 0 ? entry() : -1});
      to += line_bytes(type);
    }
    for (LocalIndex i = 0; i < lines_of(link.receives * vectors); ++i) {
      landings.push_back({link.receives > 0 ? link.receives_begin * vectors + i : -1, link.rank});
    }
  }
  routes_ = DeviceArray<LineRoute>(std::span<const LineRoute>(routes));
  landings_ = DeviceArray<LineLanding>(std::span<const LineLanding>(landings));
  tables_ = {routes_.data(),
             static_cast<std::uint32_t>(routes.size()),
             landings_.data(),
             static_cast<std::uint32_t>(landings.size()),
             incoming,
             half_bytes,
             watch};
}

void Lines::exchange(const HaloVector& x, Place place, Stream stream) const {
  const std::uint32_t most = std::max(tables_.sends, tables_.receives);
  with_element_word(type_, [&]<class Word>(Word) {
    const unsigned blocks = std::min({blocks_for(most, block_threads),
                                      waiting_blocks(exchange_by_lines<Word, Start::in_turn>,
                                                     exchange_by_lines<Word, Start::early>),
                                      most_waiting_blocks(place, type_)});
    const LineArguments<Word> arguments{tables_, reinterpret_cast<const Word*>(x.data),
                                        reinterpret_cast<Word*>(x.ghost_data())};
    launch(exchange_by_lines<Word, Start::in_turn>, exchange_by_lines<Word, Start::early>, blocks,
           arguments, place, stream);
  });
}

}  // namespace rowhalo::p2p
