// SPDX-License-Identifier: BSD-3-Clause
//
// Source web: links of pages in crawl order, after the copying model (Kumar, Raghavan, Rajagopalan,
// Sivakumar, Tomkins, Upfal: Stochastic models for the web graph, FOCS 2000) with local runs.
//   hosts    consecutive pages: parts of 65536, halved again and again with probability 3/4, down
//            to 16
//   lengths  power law: m 2^k to m 2^(k+1) links with probability 2 * 3^-(k+1), k <= 10 (density
//            exponent 2.6; Broder et al., Graph structure in the web, 2000: 2.7), m such that the
//            mean is `row`
//   links    7 of 10 draws are runs of 1 to 16 consecutive pages of the own host, rather its first
//            ones; others are the same draw of the page's prototype, an earlier page at a distance
//            that is small more often than not, with probability 3/4 if that is no more than 4
//            prototypes away, or a popular page: page c with a density of c^(-3/4)
// A draw follows the prototypes by their numbers alone, so no other row is needed; repeated links
// are drawn again, so that lengths are exact. values= and packed=1 as for rmat.
#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "io/generators/generators.hpp"

namespace rowhalo {

namespace {

constexpr int most_octaves = 10;
constexpr int most_copies = 4;
constexpr GlobalIndex largest_host = 65536, smallest_host = 16;

/// A number in [0, 1) from the upper bits of a hash.
double fraction(std::uint64_t hash) {
  return static_cast<double>(hash >> 11) * 0x1p-53;
}

struct Host {
  GlobalIndex first, pages;
};

struct Web {
  MatrixOutline outline;
  GlobalIndex pages;
  double shortest = 0;  ///< m of the lengths
  int octaves = most_octaves;
  std::uint64_t seed;
  bool packed;
  EntryValues values_of;

  explicit Web(const Spec& spec) : values_of(spec) {
    spec.allow_only({"rows", "row", "seed", "packed", "values"});
    pages = rows_of(spec);
    const double limit = static_cast<double>(pages) / 4;
    const double mean = spec.number("row", std::min(20.0, limit));
    if (!(mean >= 0 && mean <= limit)) {
      spec.fail("row is the mean number of entries in a row and must be in 0..rows/4");
    }
    seed = seed_of(spec);
    packed = spec.integer("packed", 0, 0, 1) == 1;
    // As many octaves as leave half of the columns free.
    for (;; --octaves) {
      shortest = mean / mean_over_shortest(octaves);
      if (octaves == 0 || std::ldexp(shortest, octaves + 1) + 1 <= 2 * limit) break;
    }
    outline = square_outline(spec, pages);
    outline.nonzeros = expected_entries(spec, static_cast<double>(pages) * mean);
    outline.exact = mean == 0;
  }

  /// Of 3^-k 2/3 for each octave below the last, which has the rest.
  static double mean_over_shortest(int octaves) {
    double sum = 0, share = 1;  // share = (2/3)^k
    for (int k = 0; k < octaves; ++k, share *= 2.0 / 3) sum += share;
    return sum + 1.5 * share;
  }

  std::uint64_t page_seed(GlobalIndex page) const {
    return mix64(seed, static_cast<std::uint64_t>(page));
  }

  Offset count(GlobalIndex row) const {
    const std::uint64_t row_seed = page_seed(row);
    std::uint64_t dice = mix64(row_seed, 0);
    double length = shortest;
    for (int k = 0; k < octaves && dice % 3 == 0; ++k, dice /= 3) length *= 2;
    length += length * fraction(mix64(row_seed, 1)) + fraction(mix64(row_seed, 2));
    return std::min(static_cast<Offset>(length), pages / 2);
  }

  Host host_of(GlobalIndex page) const {
    Host host{page / largest_host * largest_host, largest_host};
    while (host.pages > smallest_host) {
      const auto key = static_cast<std::uint64_t>(host.first + host.pages / 2);
      if (mix64(~seed, key) % 4 == 0) break;
      host.pages /= 2;
      if (page >= host.first + host.pages) host.first += host.pages;
    }
    host.pages = std::min(host.pages, pages - host.first);
    return host;
  }

  /// An earlier page: distance up to 2^k with probability 2^-k.
  GlobalIndex prototype_of(GlobalIndex page) const {
    const std::uint64_t hash = mix64(page_seed(page), 3);
    const int octave = std::min(std::countr_zero(hash), 40);
    const auto reach = std::uint64_t{8} << octave;
    const auto distance = static_cast<GlobalIndex>(1 + (hash >> 41) % reach);
    return std::max<GlobalIndex>(page - distance, 0);
  }

  /// The `draw`-th link of `page` to another host.
  GlobalIndex far_link(GlobalIndex page, std::uint64_t draw) const {
    for (int copies = 0; copies < most_copies && page > 0; ++copies) {
      if (mix64(page_seed(page), ~draw) % 4 == 0) break;
      page = prototype_of(page);
    }
    const double place = fraction(mix64(page_seed(page), draw));
    const double squared = place * place;
    return static_cast<GlobalIndex>(static_cast<double>(pages) * (squared * squared));
  }

  /// Adds what one draw gives, at most `wanted` links.
  void draw_links(GlobalIndex row, const Host& host, std::uint64_t draw, Offset wanted,
                  std::vector<GlobalIndex>& links) const {
    const std::uint64_t hash = mix64(page_seed(row), draw);
    if (hash % 10 >= 7) {
      links.push_back(std::min(far_link(row, draw), pages - 1));
      return;
    }
    const double place = fraction(mix64(hash));
    const auto start = static_cast<GlobalIndex>(place * place * static_cast<double>(host.pages));
    const Offset run = std::min<Offset>(1 + static_cast<Offset>(hash / 10 % 16), wanted);
    for (GlobalIndex page = start; page < std::min(start + run, host.pages); ++page) {
      links.push_back(host.first + page);
    }
  }

  void fill(GlobalIndex row, GlobalIndex* columns, double* values) const {
    const std::uint64_t row_seed = page_seed(row);
    const Host host = host_of(row);
    const Offset length = count(row);
    thread_local std::vector<GlobalIndex> links;
    std::uint64_t draw = 4;
    collect_distinct(length, links, [&](std::vector<GlobalIndex>& drawn, Offset wanted) {
      // Where the host is full and popular pages are taken: any page.
      if (draw < 4 * static_cast<std::uint64_t>(length) + 64)
        draw_links(row, host, draw, wanted, drawn);
      else
        drawn.push_back(
            static_cast<GlobalIndex>(mix64(row_seed, draw) % static_cast<std::uint64_t>(pages)));
      ++draw;
    });
    for (Offset k = 0; k < length; ++k) {
      columns[k] = packed ? k : links[k];
      values[k] = values_of(~row_seed, columns[k]);
    }
  }
};

}  // namespace

extern const SourceFunctions web_source = generated_by<Web>;

}  // namespace rowhalo
