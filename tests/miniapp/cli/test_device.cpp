// SPDX-License-Identifier: BSD-3-Clause
//
// What users are told when ranks and GPUs do not go together: who, and what to change.
#include "miniapp/cli/device.hpp"
#include "tests/catch.hpp"

using namespace rowhalo;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a rank without a GPU among others with one is named") {
  CHECK(blind_warning({"", ""}).empty());
  CHECK(blind_warning({"rank 0 on a", "rank 1 on a"}).empty());
  const std::string warning = blind_warning({"", "rank 1 on a", ""});
  CHECK(contains(warning, "rank 1 on a sees no GPU"));
  CHECK(contains(warning, "CUDA_VISIBLE_DEVICES"));
}

TEST_CASE("ranks that share a GPU are warned once there are two") {
  CHECK(sharing_warning(1).empty());
  CHECK(contains(sharing_warning(3), "up to 3 ranks share one GPU"));
  CHECK(contains(sharing_warning(3), "CUDA_VISIBLE_DEVICES"));
}

TEST_CASE("transports of GPUs refuse with a remedy") {
  const auto refusal = [](const char* name, const ComputeSite& site) {
    return find_transport(name).unusable(site);
  };
  const ComputeSite shared{Device::gpu, true};
  ComputeSite apart{Device::gpu, false};
  apart.peer_refusal =
      "GPU memory of rank 1 cannot be mapped on rank 0: peer access is not supported";
  if (built_with_cuda()) {
    CHECK(contains(refusal("p2p", shared), "use one rank per GPU, or mpi"));
    CHECK(contains(refusal("p2p", apart), apart.peer_refusal + "); use nccl"));
  } else {
    CHECK(contains(refusal("p2p", shared), "ROWHALO_WITH_CUDA"));
  }
  const bool with_nccl = !contains(refusal("nccl", shared), "ROWHALO_WITH_NCCL");
  if (with_nccl) {
    CHECK(contains(refusal("nccl", shared), "use one rank per GPU, or mpi"));
    CHECK(refusal("nccl", apart).empty());
  }
  for (const char* staged : {"mpi", "mpi-persistent", "mpi-neighbor"}) {
    CHECK(refusal(staged, shared).empty());
    CHECK(refusal(staged, apart).empty());
  }
}
