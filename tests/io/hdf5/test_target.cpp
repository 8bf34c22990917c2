// SPDX-License-Identifier: BSD-3-Clause
//
// Objects that are written into HDF5 files: what is there already is kept, in this file and in
// those that it links to.
#include "io/hdf5/matrix.hpp"

#include <filesystem>

#include "io/sources.hpp"
#include "io/vector_file.hpp"
#include "partition/base/hash.hpp"
#include "partition/base/numbers.hpp"
#include "tests/io/hdf5_recipe.hpp"
#include "tests/partition/matrices.hpp"

using namespace rowhalo;

TEST_CASE("What a file holds already is kept where an object is named") {
  const SharedDirectory directory;
  Progress progress;
  const std::string path = directory.path("keep.h5");
  const DistributedCsr first = even_share(world(), test_matrices().front());
  const DistributedCsr second = even_share(world(), test_matrices().back());
  const auto write = [&](const std::string& name, const DistributedCsr& matrix) {
    write_hdf5_matrix(name, matrix, world(), progress);
  };
  write(path, first);
  const std::vector<double> ones(even_split(9, 1, world().size, world().rank + 1) -
                                     even_split(9, 1, world().size, world().rank),
                                 1.0);
  write(path + ":/second", second);
  write_vector(path + ":/second/y", ones, Precision::fp64, world(), progress);
  write_vector(path + ":/second/y", ones, Precision::fp32, world(), progress);
  const auto entries = [&](const std::string& name) {
    return gathered(read_hdf5_matrix(name, world(), progress));
  };
  REQUIRE_ALL_RANKS(entries(path + ":/") == gathered(first));
  REQUIRE_ALL_RANKS(entries(path + ":/second") == gathered(second));
  REQUIRE_ALL_RANKS(read_vector(path + ":/second/y", 9, world(), progress) == ones);

  const auto refusal = [&](const std::string& object) {
    return agreed_error([&] { check_target(path + object, "OUT", FileUse::matrix, world()); });
  };
  REQUIRE_ALL_RANKS(refusal(":/third") == "none");
  REQUIRE_ALL_RANKS(refusal(":/second/deeper") == "none");
  REQUIRE_ALL_RANKS(refusal("") == "none");
  REQUIRE_ALL_RANKS(refusal(":/second") ==
                    "2 OUT " + path + ":/second: exists already; name another group");
  REQUIRE_ALL_RANKS(refusal(":/") == "2 OUT " + path + ":/: exists already; name another group");
  REQUIRE_ALL_RANKS(
      agreed_error([&] { check_target(path + ":/", "--save-y", FileUse::vector, world()); }) ==
      "2 --save-y " + path + ":/: names no dataset; name one, as in " + path + ":/y");
  REQUIRE_ALL_RANKS(refusal(":/data/x") ==
                    "2 OUT " + path + ":/data/x: '/data' is no group; name another place");
  REQUIRE_ALL_RANKS(agreed_error([&] {
                      check_target(path + ":/second", "--save-y", FileUse::vector, world());
                    }) == "2 --save-y " + path +
                              ":/second: exists already and is no dataset; name another");
  directory.write("text.h5", "text");
  REQUIRE_ALL_RANKS(agreed_error([&] {
                      check_target(directory.path("text.h5:/a"), "OUT", FileUse::matrix, world());
                    }).find("text.h5: is not an HDF5 file") != std::string::npos);
  write(path, second);  // without a group the file is made anew
  REQUIRE_ALL_RANKS(refusal(":/second") == "none");
}

TEST_CASE("Nothing is written through a link to another file") {
  const SharedDirectory directory;
  const std::string path = directory.path("l.h5"), other = directory.path("other.h5");
  make_hdf5(directory, "other.h5", {});
  make_hdf5(directory, "l.h5", {});
  if (world().rank == 0) {
    const Hdf5File file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
    H5Lcreate_external(other.c_str(), "/", file.get(), "far", H5P_DEFAULT, H5P_DEFAULT);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const auto refused = [&](const std::string& message, const std::string& option) {
    return message.starts_with("2 " + option + " " + path) &&
           message.find("'/far': is a link to another file, '" + other) != std::string::npos;
  };
  REQUIRE_ALL_RANKS(refused(
      agreed_error([&] { check_target(path + ":/far/m", "OUT", FileUse::matrix, world()); }),
      "OUT"));
  REQUIRE_ALL_RANKS(refused(agreed_error([&] {
                              check_target(path + ":/far/data", "--save-y", FileUse::vector,
                                           world());
                            }),
                            "--save-y"));
}

TEST_CASE("Matrices that cannot be written leave nothing behind") {
  const SharedDirectory directory;
  Progress progress;
  const DistributedCsr matrix = even_share(world(), test_matrices().front());
  const std::string missing = directory.path("no/a.h5"), taken = directory.path("taken.h5");
  REQUIRE_ALL_RANKS(agreed_error([&] {
                      check_target(missing, "OUT", FileUse::matrix, world());
                    }).starts_with("2 OUT " + missing + ": there is no directory"));
  REQUIRE_ALL_RANKS(agreed_error([&] {
                      write_hdf5_matrix(missing, matrix, world(), progress);
                    }).starts_with("1 " + missing + ": cannot be written: No such file"));
  if (world().rank == 0) std::filesystem::create_directory(taken);
  REQUIRE_ALL_RANKS(agreed_error([&] {
                      write_hdf5_matrix(taken, matrix, world(), progress);
                    }).starts_with("1 " + taken + ": cannot be renamed into place"));
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry :
       std::filesystem::directory_iterator(directory.path(""))) {
    ++files;
  }
  REQUIRE_ALL_RANKS(files == 1);
}

TEST_CASE("Vectors in .h5") {
  const SharedDirectory directory;
  Progress progress;
  for (const GlobalIndex size : {0, 1, 5, 1500}) {
    for (const char* dataset : {"", ":/y", ":/results/first/y"}) {
      for (const Precision precision : {Precision::fp64, Precision::fp32}) {
        std::vector<double> share;
        for (GlobalIndex k = even_split(size, 1, world().size, world().rank);
             k < even_split(size, 1, world().size, world().rank + 1); ++k) {
          share.push_back(rounded_to(vector_type(precision), uniform_value(3, k)));
        }
        const std::string name = directory.path("v.h5") + dataset;
        check_target(name, "--save-y", FileUse::vector, world());
        write_vector(name, share, precision, world(), progress);
        REQUIRE_ALL_RANKS(read_vector(name, size, world(), progress) == share);
      }
    }
  }
  const std::string path = directory.path("v.h5") + ":/results/first/y";
  const auto error = [&](const std::string& name, GlobalIndex size) {
    return agreed_error([&] { read_vector(name, size, world(), progress); });
  };
  REQUIRE_ALL_RANKS(error(path, 1501) ==
                    "2 " + path + ": the vector has 1500 entries where 1501 are needed");
  REQUIRE_ALL_RANKS(error(directory.path("v.h5") + ":/x", 1500).find("v.h5:/x: is not a dataset") !=
                    std::string::npos);
}
