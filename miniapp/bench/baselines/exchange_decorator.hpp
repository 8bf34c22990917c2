// SPDX-License-Identifier: BSD-3-Clause
//
// An exchange around another one: hands every call on. What stands around changes begin() or
// finish().
#pragma once

#include <memory>
#include <utility>

#include "miniapp/halo/halo_exchange.hpp"

namespace rowhalo {

class ExchangeDecorator : public HaloExchange {
 public:
  explicit ExchangeDecorator(std::unique_ptr<HaloExchange> inner) : inner_(std::move(inner)) {}

  HaloVector make_vector() override { return inner_->make_vector(); }
  void begin(const HaloVector& x, Stream stream) override { inner_->begin(x, stream); }
  void finish(const HaloVector& x, Stream stream) override { inner_->finish(x, stream); }
  std::optional<NodeTraffic> sent_between_nodes() const override {
    return inner_->sent_between_nodes();
  }
  void check() const override { inner_->check(); }
  void close() override { inner_->close(); }

 protected:
  const std::unique_ptr<HaloExchange> inner_;
};

}  // namespace rowhalo
