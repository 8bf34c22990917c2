// SPDX-License-Identifier: BSD-3-Clause
//
// The three ways in which something goes wrong, and who may catch them.
//   InputError   one rank found the user's input or options wrong. agree() (comm.hpp) turns it, and
//                std::bad_alloc, into an AgreedError on every rank; others catch it where a rank
//                can go on alone.
//   AgreedError  every rank of the communicator that agreed holds it, with the same text. Main ends
//                the program with it; others catch it where all these ranks then do the same, as
//                in the trial of an alternative.
//   anything else has no handler: the terminate handler names the rank and aborts the job.
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rowhalo {

/// Exit statuses of the program (frozen: CHANGELOG.md).
enum class ExitCode { fine = 0, run_time = 1, usage = 2, validation = 3 };

/// `text` with its control characters, of which files may be full, by their two hexadecimal digits.
std::string printable(std::string_view text);

/// What those who catch an error in a trial have to tell apart.
enum class Cause { other, memory };

/// Wrong input seen by one rank. `position` orders errors of different ranks (the byte offset or
/// the line in the file): the smallest is the one that is reported.
/// Of the message only what a terminal can print (printable()).
class InputError : public std::runtime_error {
 public:
  static constexpr std::int64_t anywhere = std::numeric_limits<std::int64_t>::max();

  explicit InputError(const std::string& message, std::int64_t position = anywhere,
                      ExitCode code = ExitCode::usage, Cause cause = Cause::other)
      : std::runtime_error(printable(message)), position_(position), code_(code), cause_(cause) {}
  /// "PLACE: REASON", of which reason() is the second part.
  InputError(const std::string& place, const std::string& reason, ExitCode code = ExitCode::usage,
             Cause cause = Cause::other)
      : std::runtime_error(printable(place + ": " + reason)),
        position_(anywhere),
        code_(code),
        cause_(cause),
        reason_at_(printable(place).size() + 2) {}

  std::int64_t position() const { return position_; }
  ExitCode code() const { return code_; }
  Cause cause() const { return cause_; }
  std::string reason() const { return what() + reason_at_; }
  std::size_t reason_at() const { return reason_at_; }

 private:
  std::int64_t position_;
  ExitCode code_;
  Cause cause_;
  std::size_t reason_at_ = 0;  ///< in the message
};

/// A failure that all ranks know of, with the same text and exit status on each.
class AgreedError : public std::runtime_error {
 public:
  AgreedError(ExitCode code, const std::string& message, Cause cause = Cause::other,
              std::size_t reason_at = 0)
      : std::runtime_error(message), code_(code), cause_(cause), reason_at_(reason_at) {}

  ExitCode code() const { return code_; }
  Cause cause() const { return cause_; }
  /// The message without the place that it names first, if the InputError told the two apart.
  std::string reason() const { return what() + reason_at_; }

 private:
  ExitCode code_;
  Cause cause_;
  std::size_t reason_at_;
};

/// The failure of a rank while others were in collective functions (together(), comm.hpp): no
/// refusal that an alternative could answer.
class RankFailed : public AgreedError {
 public:
  using AgreedError::AgreedError;
};

}  // namespace rowhalo
