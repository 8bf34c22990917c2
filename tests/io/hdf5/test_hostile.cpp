// SPDX-License-Identifier: BSD-3-Clause
//
// HDF5 files that ask for more than they hold: numbers of other files, numbers that nobody wrote,
// sizes beyond the memory.
#include "io/hdf5/matrix.hpp"
#include "io/vector_file.hpp"
#include "tests/io/hdf5_recipe.hpp"

using namespace rowhalo;

TEST_CASE("Numbers that are not in the file are refused") {
  const SharedDirectory directory;
  const std::string path = directory.path("k.h5"), other = directory.path("other.h5");
  make_hdf5(directory, "other.h5", {});
  using Plant = void (*)(hid_t file, const std::string& other);
  struct Case {
    const char* message;
    Plant plant;
  };
  // Each puts another `data` into the file, which lacks it.
  const Case cases[] = {
      {":/data: is a link to another file, '",
       [](hid_t file, const std::string& other) {
         H5Lcreate_external(other.c_str(), "/data", file, "data", H5P_DEFAULT, H5P_DEFAULT);
       }},
      {":/data: is a link to another file, '",
       [](hid_t file, const std::string& other) {
         H5Lcreate_external(other.c_str(), "/data", file, "far", H5P_DEFAULT, H5P_DEFAULT);
         H5Lcreate_soft("/far", file, "data", H5P_DEFAULT, H5P_DEFAULT);
       }},
      {":/data: is not a dataset that can be read: ",
       [](hid_t file, const std::string&) {
         H5Lcreate_soft("/data", file, "data", H5P_DEFAULT, H5P_DEFAULT);
       }},
      {":/data: is a virtual dataset",
       [](hid_t file, const std::string& other) {
         recipe::empty_dataset(file, "data", 4, [&](hid_t made, hid_t space) {
           H5Pset_virtual(made, space, other.c_str(), "/data", space);
         });
       }},
      {":/data: keeps its numbers in other files",
       [](hid_t file, const std::string& other) {
         recipe::empty_dataset(file, "data", 4, [&](hid_t made, hid_t) {
           H5Pset_external(made, other.c_str(), 0, H5F_UNLIMITED);
         });
       }},
      {":/data: has 4 numbers of 32 bytes together, but only 0 bytes were ever written",
       [](hid_t file, const std::string&) {
         recipe::empty_dataset(file, "data", 4, [](hid_t, hid_t) {});
       }},
      {":/data: has 4 numbers of 32 bytes together, but only 16 bytes were ever written",
       [](hid_t file, const std::string&) { recipe::half_written(file, "data", false); }},
      {":/data: only 1 of its 2 chunks were ever written",
       [](hid_t file, const std::string&) { recipe::half_written(file, "data", true); }},
  };
  for (const Case& c : cases) {
    CAPTURE(c.message);
    Hdf5Recipe recipe;
    recipe.left_out = "data";
    make_hdf5(directory, "k.h5", recipe);
    if (world().rank == 0) {
      c.plant(Hdf5File(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)).get(), other);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const std::string error = agreed_error([&] { read_hdf5(path); });
    CAPTURE(error);
    REQUIRE_ALL_RANKS(error.starts_with("2 " + path + c.message));
    Progress progress;
    const std::string of_vector =
        agreed_error([&] { read_vector(path + ":/data", 4, world(), progress); });
    CAPTURE(of_vector);
    REQUIRE_ALL_RANKS(of_vector.starts_with("2 " + path + c.message));
  }
}

TEST_CASE("Groups in other files are refused, links inside a file are not") {
  const SharedDirectory directory;
  const std::string path = directory.path("l.h5"), other = directory.path("other.h5");
  make_hdf5(directory, "other.h5", {});
  Hdf5Recipe recipe;
  recipe.group = "/a";
  make_hdf5(directory, "l.h5", recipe);
  if (world().rank == 0) {
    const Hdf5File file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
    H5Lcreate_external(other.c_str(), "/", file.get(), "far", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/a", file.get(), "near", H5P_DEFAULT, H5P_DEFAULT);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  REQUIRE_ALL_RANKS(gathered(read_hdf5(path + ":/near")).size() == 4);
  REQUIRE_ALL_RANKS(agreed_error([&] {
                      read_hdf5(path + ":/far");
                    }).starts_with("2 " + path + ":/far: is a link to another file, '" + other));
  REQUIRE_ALL_RANKS(agreed_error([&] { read_hdf5(path); }).find("matrices are in /a, /near") !=
                    std::string::npos);
}

TEST_CASE("What a header asks for is compared with the memory") {
  const SharedDirectory directory;
  Hdf5Recipe recipe;
  recipe.shape = {3, std::int64_t{1} << 50};
  const std::string path = make_hdf5(directory, "m.h5", recipe);
  const std::string error = agreed_error([&] { read_hdf5(path); });
  CAPTURE(error);
  REQUIRE_ALL_RANKS(error.starts_with("2 " + path + ": 3 rows, 1125899906842624 columns and 4 "));
  REQUIRE_ALL_RANKS(outline_hdf5_matrix(path, world()).info.columns == std::int64_t{1} << 50);
}
