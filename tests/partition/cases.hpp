// SPDX-License-Identifier: BSD-3-Clause
//
// The battery of matrices under every partitioner, random owners and one owner, shuffled and not:
// what the tests of local matrices and of halo plans walk through.
#pragma once

#include <optional>

#include "partition/local_matrix.hpp"
#include "partition/partitioners.hpp"
#include "tests/mpi.hpp"
#include "tests/partition/matrices.hpp"

namespace rowhalo {

struct LocalCase {
  const TestMatrix& matrix;
  std::optional<Shuffle> shuffle;
  GlobalIndex first_row = 0;  ///< of this rank before migration, in the numbers after the shuffle
  std::vector<int> owners;
  std::uint64_t fingerprint = 0;  ///< of the source
  LocalMatrix local;

  /// The number, after the shuffle, of a row or column of the source.
  GlobalIndex number(GlobalIndex source) const {
    return shuffle ? shuffle->to_shuffled(source) : source;
  }
};

inline std::vector<std::string> owner_choices(const MatrixInfo& info) {
  std::vector<std::string> names{"random", "last rank"};
  for (const PartitionerEntry& entry : partitioners()) {
    if (suits(entry, info)) names.emplace_back(entry.name);
  }
  return names;
}

inline std::vector<int> choose_owners(const Comm& comm, const DistributedCsr& matrix,
                                      const std::string& choice) {
  if (choice != "random" && choice != "last rank") {
    Progress progress;
    return find_partitioner(choice).assign(matrix, comm.size, Spec::parse(choice, "--partition"),
                                           comm, progress);
  }
  std::vector<int> owners(matrix.local_rows(), comm.size - 1);
  for (std::size_t row = 0; choice == "random" && row < owners.size(); ++row) {
    owners[row] = int(mix64((matrix.first_row + row) / matrix.info.block) % comm.size);
  }
  return owners;
}

/// Collective. `matrix` outlives the case.
inline LocalCase make_case(const Comm& comm, const TestMatrix& matrix, const std::string& choice,
                           bool shuffling) {
  Progress progress;
  LocalCase test{matrix, {}, 0, {}, 0, {}};
  DistributedCsr share = even_share(comm, matrix);
  test.fingerprint = fingerprint(comm, share);
  if (shuffling) {
    test.shuffle.emplace(5, matrix.info.rows);
    share = shuffled(comm, std::move(share), *test.shuffle, progress);
  }
  test.first_row = share.first_row;
  test.owners = choose_owners(comm, share, choice);
  test.local = make_local_matrix(comm, std::move(share), test.owners,
                                 test.shuffle ? &*test.shuffle : nullptr, progress);
  return test;
}

/// Collective. Calls check(case) for every case.
template <class Check>
void for_each_case(const Comm& comm, Check check) {
  for (const TestMatrix& matrix : test_matrices()) {
    for (const bool shuffling : {false, true}) {
      if (shuffling && matrix.info.rows != matrix.info.columns) continue;
      MatrixInfo info = matrix.info;
      if (shuffling) info.grid.reset();
      for (const std::string& choice : owner_choices(info)) {
        CAPTURE(matrix.info.source, choice, shuffling);
        check(make_case(comm, matrix, choice, shuffling));
      }
    }
  }
}

}  // namespace rowhalo
