// SPDX-License-Identifier: BSD-3-Clause
//
// Arrays of an .npz file to all ranks (stream.hpp).
#include "io/npz/stream.hpp"

#include <zlib.h>

#include <algorithm>
#include <utility>

#include "io/collective.hpp"
#include "partition/base/checked_cast.hpp"

namespace rowhalo {

namespace {

constexpr std::int64_t piece_items = std::int64_t{1} << 18, packed_bytes = 256 << 10;

}  // namespace

/// Unpacks a member in order, on all ranks at once: rank 0 reads, and every rank has all bytes, so
/// that what is wrong with them is wrong on each.
struct NpzStream::Inflater {
  Inflater(const InputFile& input, const NpzArray& array, const std::string& name,
           const Comm& ranks)
      : file(input),
        place(name),
        comm(ranks),
        at(array.data.offset),
        left(array.data.packed),
        crc_wanted(array.data.crc) {
    constexpr int raw_window_bits = -15;
    if (inflateInit2(&stream, raw_window_bits) != Z_OK) {
      throw std::runtime_error("inflateInit2: out of memory");
    }
  }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Collective. The next `bytes`. Throws AgreedError where the data end or are damaged.
  void next(char* to, std::int64_t bytes) {
    stream.next_out = reinterpret_cast<Bytef*>(to);
    stream.avail_out = checked_cast<uInt>(bytes, "bytes of a piece");
    while (stream.avail_out > 0) {
      if (stream.avail_in == 0) refill();
      const int code = inflate(&stream, Z_NO_FLUSH);
      if (code == Z_STREAM_END) break;
      if (code != Z_OK) fail("the compressed data are damaged; copy the file again");
    }
    if (stream.avail_out > 0) fail("the compressed data end early; copy the file again");
    crc = crc32(crc, reinterpret_cast<const Bytef*>(to), static_cast<uInt>(bytes));
  }
  void check_end() const {
    if (crc != crc_wanted) fail("the checksum is wrong, the data are damaged; copy the file again");
  }

 private:
  void refill() {
    if (left == 0) fail("the compressed data end early; copy the file again");
    buffer = found_by_root(comm, [&] { return file.text(at, std::min(left, packed_bytes)); });
    at += std::ssize(buffer);
    left -= std::ssize(buffer);
    stream.next_in = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_in = static_cast<uInt>(buffer.size());
  }
  void fail(const char* what) const {
    agree(comm, [&] { throw InputError(place + ": " + what); });
  }

  const InputFile& file;
  const std::string& place;
  const Comm& comm;
  std::int64_t at, left;
  uLong crc = crc32(0, nullptr, 0), crc_wanted;
  std::string buffer;
  z_stream stream{};
};

NpzStream::NpzStream(const InputFile& file, const NpzArray& array, std::string place,
                     const Comm& comm, Progress& progress)
    : file_(file), array_(array), place_(std::move(place)), comm_(comm), progress_(progress) {
  if (array.data.deflated) inflater_ = std::make_unique<Inflater>(file_, array_, place_, comm_);
}

NpzStream::~NpzStream() = default;

std::vector<std::int64_t> NpzStream::integers(std::int64_t first, std::int64_t count,
                                              std::int64_t end) {
  std::vector<std::int64_t> out;
  agree(comm_, [&] { out.resize(count); });
  read(first, count, end, [&](const char* bytes, std::int64_t at, std::int64_t items) {
    read_npy_integers(array_.item, bytes, items, out.data() + at - first);
  });
  return out;
}

std::vector<double> NpzStream::reals(std::int64_t first, std::int64_t count, std::int64_t end,
                                     RoundedNumbers& rounded) {
  std::vector<double> out;
  agree(comm_, [&] { out.resize(count); });
  read(first, count, end, [&](const char* bytes, std::int64_t at, std::int64_t items) {
    read_npy_reals(array_.item, bytes, items, place_, at, out.data() + at - first, rounded);
  });
  return out;
}

void NpzStream::read(std::int64_t first, std::int64_t count, std::int64_t end, const Take& take) {
  agree(comm_, [&] {
    buffer_.resize(std::max(piece_items * array_.item.bytes, array_.header_bytes));
    if (!array_.data.deflated) read_stored(first, count, take);
  });
  if (array_.data.deflated) read_deflated(first, count, end, take);
}

void NpzStream::read_stored(std::int64_t first, std::int64_t count, const Take& take) {
  for (std::int64_t at = first; at < first + count; at += piece_items) {
    const std::int64_t items = std::min(piece_items, first + count - at);
    file_.read(array_.data.offset + array_.header_bytes + at * array_.item.bytes, buffer_.data(),
               items * array_.item.bytes);
    take(buffer_.data(), at, items);
    progress_.add(items);
  }
}

/// Collective.
void NpzStream::read_deflated(std::int64_t first, std::int64_t count, std::int64_t end,
                              const Take& take) {
  if (next_ == 0) inflater_->next(buffer_.data(), array_.header_bytes);
  while (next_ < end) {
    const std::int64_t items = std::min(piece_items, end - next_);
    inflater_->next(buffer_.data(), items * array_.item.bytes);
    const std::int64_t from = std::clamp<std::int64_t>(first - next_, 0, items),
                       to = std::clamp<std::int64_t>(first + count - next_, 0, items);
    if (from < to) take(buffer_.data() + from * array_.item.bytes, next_ + from, to - from);
    next_ += items;
    progress_.add(to - from);
  }
  if (next_ == array_.count) inflater_->check_end();
}

}  // namespace rowhalo
