// SPDX-License-Identifier: BSD-3-Clause
//
// Options of the C interface: "name=value; name=value" (rowhalo.h), read into what operators and
// solvers are made with. A name is a line of a table in options.cpp.
#pragma once

#include <optional>
#include <string>

#include "miniapp/solve/solver_options.hpp"
#include "miniapp/tune/tune.hpp"

namespace rowhalo::c {

/// What rowhalo_create() is asked for. Names that are empty in `request.named` are to be chosen.
struct OperatorOptions {
  TuneRequest request;
  std::optional<Device> device;        ///< empty: where the values are
  std::optional<Precision> precision;  ///< empty: that of the values
  std::optional<Order> order;          ///< empty: to be chosen
  bool transpose = false;
  std::string tuning_file;  ///< empty: none
};

/// Local. `text` may be null. Throws InputError on an unknown name or value.
OperatorOptions operator_options(const char* text);
SolverOptions solver_options(const char* text);

/// The options of an operator that was made with `tuning`.
std::string options_text(const Tuning& tuning, bool transpose);

/// Collective. Throws AgreedError (usage) unless all ranks have the same text.
void require_same_on_all(const Comm& comm, const char* text);

}  // namespace rowhalo::c
