// SPDX-License-Identifier: BSD-3-Clause
//
// Arrays of an .npz file to all ranks (stream.hpp).
#include "io/npz/stream.hpp"

#include <zlib.h>

#include <algorithm>
#include <utility>

#include "partition/base/checked_cast.hpp"

namespace rowhalo {

namespace {

constexpr std::int64_t piece_items = std::int64_t{1} << 18;
constexpr int npz_tag = 29;

}  // namespace

/// Unpacks a member in order.
struct NpzStream::Inflater {
  explicit Inflater(const InputFile& input, const NpzArray& array, const std::string& name)
      : file(input),
        place(name),
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

  /// The next `bytes`. Throws InputError where the data end or are damaged.
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
    buffer.resize(std::min<std::int64_t>(left, 256 << 10));
    file.read(at, buffer.data(), std::ssize(buffer));
    at += std::ssize(buffer);
    left -= std::ssize(buffer);
    stream.next_in = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_in = static_cast<uInt>(buffer.size());
  }
  [[noreturn]] void fail(const char* what) const { throw InputError(place + ": " + what); }

  const InputFile& file;
  const std::string& place;
  std::int64_t at, left;
  uLong crc = crc32(0, nullptr, 0), crc_wanted;
  std::string buffer;
  z_stream stream{};
};

NpzStream::NpzStream(const InputFile& file, const NpzArray& array, std::string place,
                     const Comm& comm, Progress& progress)
    : file_(file), array_(array), place_(std::move(place)), comm_(comm), progress_(progress) {
  if (!array.data.deflated || comm.rank != 0) return;
  inflater_ = std::make_unique<Inflater>(file_, array_, place_);
}

NpzStream::~NpzStream() = default;

std::vector<std::int64_t> NpzStream::integers(const std::vector<std::int64_t>& ends) {
  std::vector<std::int64_t> out;
  read(ends, [&](const char* bytes, std::int64_t, std::int64_t count) {
    out.resize(out.size() + count);
    read_npy_integers(array_.item, bytes, count, out.data() + out.size() - count);
  });
  return out;
}

std::vector<double> NpzStream::reals(const std::vector<std::int64_t>& ends,
                                     RoundedNumbers& rounded) {
  std::vector<double> out;
  read(ends, [&](const char* bytes, std::int64_t first, std::int64_t count) {
    out.resize(out.size() + count);
    read_npy_reals(array_.item, bytes, count, place_, first, out.data() + out.size() - count,
                   rounded);
  });
  return out;
}

void NpzStream::read(const std::vector<std::int64_t>& ends, const Take& take) {
  const std::int64_t begin = comm_.rank == 0 ? next_ : ends[comm_.rank - 1];
  const std::int64_t end = ends[comm_.rank];
  agree(comm_, [&] {
    if (!array_.data.deflated) {
      read_stored(begin, end, take);
    } else if (comm_.rank == 0) {
      hand_out(ends, take);
    } else {
      receive(begin, end, take);
    }
  });
  next_ = ends.back();
}

void NpzStream::read_stored(std::int64_t begin, std::int64_t end, const Take& take) {
  std::string buffer;
  for (std::int64_t first = begin; first < end; first += piece_items) {
    const std::int64_t count = std::min(piece_items, end - first);
    buffer.resize(count * array_.item.bytes);
    file_.read(array_.data.offset + array_.header_bytes + first * array_.item.bytes, buffer.data(),
               std::ssize(buffer));
    take(buffer.data(), first, count);
    progress_.add(count);
  }
}

/// Rank 0 unpacks the items of all ranks. After a fault the others get nothing instead of a piece,
/// so that nobody waits.
void NpzStream::hand_out(const std::vector<std::int64_t>& ends, const Take& take) {
  std::optional<InputError> fault;
  std::string buffer;
  const auto unpack = [&](std::int64_t bytes) {
    buffer.resize(bytes);
    try {
      inflater_->next(buffer.data(), bytes);
    } catch (const InputError& error) {
      fault = error;
      buffer.clear();
    }
  };
  for (std::int64_t left = next_ == 0 ? array_.header_bytes : 0; left > 0 && !fault;) {
    const std::int64_t bytes = std::min<std::int64_t>(left, 64 << 10);
    unpack(bytes);
    left -= bytes;
  }
  std::int64_t first = next_;
  for (int rank = 0; rank < comm_.size; ++rank) {
    while (first < ends[rank]) {
      const std::int64_t count = std::min(piece_items, ends[rank] - first);
      if (!fault) unpack(count * array_.item.bytes);
      if (rank > 0) {
        ROWHALO_MPI(MPI_Send(buffer.data(), checked_cast<int>(buffer.size(), "bytes of a piece"),
                             MPI_BYTE, rank, npz_tag, comm_.handle));
      } else if (!fault) {
        take(buffer.data(), first, count);
      }
      if (fault) break;
      first += count;
      progress_.add(count);
    }
    if (fault) first = std::max(first, ends[rank]);
  }
  if (fault) throw *fault;
  if (ends.back() == array_.count) inflater_->check_end();
}

void NpzStream::receive(std::int64_t begin, std::int64_t end, const Take& take) {
  std::string buffer;
  for (std::int64_t first = begin; first < end;) {
    const std::int64_t count = std::min(piece_items, end - first);
    buffer.resize(count * array_.item.bytes);
    MPI_Status status;
    ROWHALO_MPI(MPI_Recv(buffer.data(), checked_cast<int>(buffer.size(), "bytes of a piece"),
                         MPI_BYTE, 0, npz_tag, comm_.handle, &status));
    int bytes = 0;
    ROWHALO_MPI(MPI_Get_count(&status, MPI_BYTE, &bytes));
    if (bytes == 0) return;  // rank 0 says why
    take(buffer.data(), first, count);
    first += count;
    progress_.tick();
  }
}

}  // namespace rowhalo
