# SPDX-License-Identifier: BSD-3-Clause
"""Files as other programs write them, each with the matrix or the vector that is in it.

Made by their own writers (scipy, h5py, gzip, tarfile), or by hand from the documents of a format: AnnData's
on-disk format 0.1.0, 10x Genomics' feature-barcode matrices, MATLAB's 7.3, NIST's Matrix Market."""
import gzip
import io
import tarfile
import zipfile

import h5py
import numpy as np
import scipy.io
import scipy.sparse


def sample(rows, columns, seed=1, whole=False):
    matrix = scipy.sparse.random(rows, columns, density=0.3, random_state=seed, format="csr")
    matrix.data = np.round(matrix.data * 200 - 100) if whole else matrix.data
    return matrix


def mtx(matrix, **options):
    """The text of a Matrix Market file."""
    target = io.BytesIO()
    scipy.io.mmwrite(target, matrix, precision=17, **options)
    return target.getvalue()


def put(group, matrix, index=np.int32, value=np.float64, **options):
    group.create_dataset("indptr", data=matrix.indptr.astype(index), **options)
    group.create_dataset("indices", data=matrix.indices.astype(index), **options)
    group.create_dataset("data", data=matrix.data.astype(value), **options)


class Folder:
    """Adds files to a folder and notes what is in them."""

    def __init__(self, place):
        self.place = place
        self.matrices = {}  # name, with :/group: matrix
        self.vectors = {}   # name: vector

    def write(self, name, content):
        (self.place / name).write_bytes(content)
        return name

    def matrix(self, name, content, matrix):
        self.matrices[self.write(name, content)] = matrix

    def vector(self, name, content, vector):
        self.vectors[self.write(name, content)] = vector


def add_matrix_market(folder):
    real, whole, wide = sample(9, 9, 2), sample(8, 8, 3, True), sample(5, 11, 4)
    folder.matrix("plain.mtx", mtx(real), real)
    folder.matrix("plain.data", mtx(real), real)  # the content says what it is
    folder.matrix("packed.mtx", gzip.compress(mtx(real)), real)
    folder.matrix("unpacked.mtx.gz", mtx(real), real)
    folder.matrix("CAPITALS.MTX", mtx(wide), wide)
    folder.matrix("CAPITALS.MTX.GZ", gzip.compress(mtx(wide)), wide)
    folder.matrix("mark.mtx", b"\xef\xbb\xbf" + mtx(wide), wide)
    folder.matrix("blanks.mtx", b"\r\n \t\n  " + mtx(wide), wide)
    folder.matrix("mark_and_line.mtx", b"\xef\xbb\xbf\n" + mtx(wide), wide)
    folder.matrix("one_percent.mtx", mtx(wide)[1:], wide)
    counts = mtx(abs(whole).astype(np.int64))
    folder.matrix("unsigned.mtx", counts.replace(b" integer ", b" unsigned-integer "), abs(whole))
    folder.matrix("array.mtx", mtx(wide.toarray()), wide)
    folder.matrix("vector.mtx", b"%%MatrixMarket vector array real general\n3\n1\n0\n-2.5\n",
                  scipy.sparse.csr_matrix([[1.], [0.], [-2.5]]))
    folder.matrix("sparse_vector.mtx", b"%%MatrixMarket vector coordinate integer\n% c\n4 2\n2 7\n4 -1\n",
                  scipy.sparse.csr_matrix([[0.], [7.], [0.], [-1.]]))
    symmetric = scipy.sparse.csr_matrix(real + real.T)
    folder.matrix("symmetric.mtx", mtx(symmetric, symmetry="symmetric"), symmetric)


def tar(members, mode="w:gz", form=tarfile.PAX_FORMAT):
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode=mode, format=form) as archive:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return target.getvalue()


def add_archives(folder):
    matrix, b = sample(9, 9, 5), np.arange(9) * 0.5 - 1
    members = {"set/set_b.mtx": mtx(b.reshape(-1, 1)), "set/set.mtx": mtx(matrix), "set/notes.txt": b"none\n"}
    folder.matrix("set.tar.gz", tar(members), matrix)
    folder.vectors["set.tar.gz:set_b.mtx"] = folder.vectors["set.tar.gz:set/set_b.mtx"] = b
    folder.matrix("renamed.tgz", tar(members, form=tarfile.GNU_FORMAT), matrix)
    folder.matrix("old.tar", tar(members, "w", tarfile.USTAR_FORMAT), matrix)
    long_name = "folder-" + "x" * 120
    for form, name in (tarfile.PAX_FORMAT, "pax"), (tarfile.GNU_FORMAT, "gnu"):
        folder.matrix(f"long_{name}.tar.gz", tar({f"{long_name}/{long_name}.mtx": mtx(matrix)}, form=form), matrix)
    folder.matrix("alone.tar.gz", tar({"readme": b"x" * 2000, "a.mtx": mtx(matrix)}), matrix)


def npz(matrix, **options):
    target = io.BytesIO()
    scipy.sparse.save_npz(target, matrix, **options)
    return target.getvalue()


def raw_npz(matrix, values):
    """As save_npz, but with the values as they are: scipy would not write all types."""
    target = io.BytesIO()
    np.savez(target, format=matrix.format.encode(), shape=matrix.shape, data=values, indices=matrix.indices,
             indptr=matrix.indptr)
    return target.getvalue()


def add_npz(folder):
    matrix, whole = sample(7, 12, 6), sample(7, 12, 7, True)
    for form in "csr", "csc", "coo":
        for compressed in True, False:
            folder.matrix(f"{form}_{compressed}.npz", npz(matrix.asformat(form), compressed=compressed), matrix)
    for kind in "i1", "i8", ">i4", "u2", "f2", "f4", ">f8", "?":
        values = whole.data.astype(kind) if kind not in ("u2", "?") else abs(whole.data).astype(kind)
        folder.matrix(f"type_{kind.strip('>?')}_{len(kind)}.npz", raw_npz(whole, values), scipy.sparse.csr_matrix(
            (values.astype(np.float64), whole.indices, whole.indptr), shape=whole.shape))
    shuffled = matrix.tocoo()
    order = np.random.default_rng(1).permutation(shuffled.nnz)
    shuffled = scipy.sparse.coo_matrix((np.tile(shuffled.data[order], 2), (np.tile(shuffled.row[order], 2),
                                                                           np.tile(shuffled.col[order], 2))), matrix.shape)
    folder.matrix("duplicates.npz", npz(shuffled), 2 * matrix)
    wide = scipy.sparse.csr_matrix((matrix.data, matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)),
                                   shape=matrix.shape)
    folder.matrix("wide.dat", npz(wide), matrix)
    folder.matrix("empty.npz", npz(scipy.sparse.csr_matrix((4, 3))), scipy.sparse.csr_matrix((4, 3)))
    folder.matrix("no_rows.npz", npz(scipy.sparse.csc_matrix((0, 3))), scipy.sparse.csr_matrix((0, 3)))


def add_anndata(folder):
    """https://anndata.readthedocs.io: on-disk format, and h5sparse's names of before."""
    matrix = sample(6, 10, 8)
    with h5py.File(folder.place / "cells.h5ad", "w") as file:
        for name, form in ("X", "csc"), ("layers/counts", "csr"):
            group = file.create_group(name)
            group.attrs["encoding-type"] = form + "_matrix"
            group.attrs["encoding-version"] = "0.1.0"
            group.attrs["shape"] = matrix.shape
            put(group, matrix.asformat(form))
            folder.matrices[f"cells.h5ad:/{name}"] = matrix
        for name, form in ("old", "csc"), ("older", "CSR"):
            group = file.create_group(name)
            group.attrs["h5sparse_format"] = np.bytes_(form)
            group.attrs["h5sparse_shape"] = np.array(matrix.shape, dtype=np.float64)
            put(group, matrix.asformat(form.lower()), index=np.int64, compression="gzip", shuffle=True)
            folder.matrices[f"cells.h5ad:/{name}"] = matrix


def add_tenx(folder):
    """https://www.10xgenomics.com: feature-barcode matrices in HDF5, of version 3 and 2."""
    counts = abs(sample(9, 9, 9, True)).astype(np.int32)
    with h5py.File(folder.place / "filtered.h5", "w") as file:
        for name, genes in ("matrix", "features"), ("GRCh38", "genes"):
            group = file.create_group(name)
            group["barcodes"] = np.array([f"cell{k}" for k in range(9)], dtype="S")
            if genes == "features":
                group.create_group("features")["id"] = np.array([f"gene{k}" for k in range(9)], dtype="S")
            else:
                group["genes"] = np.array([f"gene{k}" for k in range(9)], dtype="S")
            group["shape"] = np.array(counts.shape, dtype=np.int32)
            put(group, counts.tocsc(), value=np.int32, chunks=(5,))
            folder.matrices[f"filtered.h5:/{name}"] = counts


def add_matlab(folder):
    """MATLAB 7.3: a block of 512 bytes, then HDF5; sparse matrices in ir, jc and data, arrays transposed."""
    matrix, b = sample(6, 8, 10), np.arange(8) * 1.5
    with h5py.File(folder.place / "work.mat", "w", userblock_size=512) as file:
        for name, values in ("A", matrix.data), ("L", matrix.data != 0):
            group = file.create_group(name)
            group.attrs["MATLAB_sparse"] = np.uint64(matrix.shape[0])
            group.attrs["MATLAB_class"] = np.bytes_("double" if name == "A" else "logical")
            columns = scipy.sparse.csr_matrix((values, matrix.indices, matrix.indptr), shape=matrix.shape).tocsc()
            group["jc"], group["ir"] = columns.indptr.astype(np.uint64), columns.indices.astype(np.uint64)
            group["data"] = columns.data.astype(np.float64 if name == "A" else np.uint8)
            folder.matrices[f"work.mat:/{name}"] = columns.astype(np.float64).tocsr()
        file["b"], file["row"] = b.reshape(1, 8), b.reshape(8, 1)
        file["two"] = np.stack([b + 1, b])
        for name in "b", "row", "two":
            file[name].attrs["MATLAB_class"] = np.bytes_("double")
    head = b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM"
    content = (folder.place / "work.mat").read_bytes()
    folder.write("work.mat", head + content[len(head):])
    folder.vectors["work.mat:/b"] = folder.vectors["work.mat:/row"] = folder.vectors["work.mat:/two:column=2"] = b


def add_hdf5(folder):
    square, wide = sample(8, 8, 11), sample(5, 9, 12)
    with h5py.File(folder.place / "mixed.hdf5", "w") as file:
        for name, matrix, marks, options in (
                ("marked", square.tocsc(), {"format": "CSC", "shape": square.shape}, {}),
                ("unmarked", square, {"shape": square.shape}, {}),
                ("by_shape", wide.tocsc(), {"shape": wide.shape}, {}),
                ("floats", wide, {"shape": np.array(wide.shape, dtype=np.float64), "nonzeros": float(wide.nnz),
                                  "format": "csr"}, {"index": np.float64}),
                ("columns", wide, {"columns": 9.0, "format": "csr_array"}, {}),
                ("unsigned", wide, {"shape": wide.shape, "format": "csr"}, {"index": np.uint64}),
                ("booleans", wide, {"shape": wide.shape, "format": "csr"}, {"value": np.bool_}),
                ("unsigned_values", abs(wide * 100).astype(np.uint16), {"shape": wide.shape, "format": "csr"},
                 {"value": np.uint16}),
                ("small", wide, {"shape": wide.shape, "format": "csr"}, {"value": np.float32, "chunks": (3,)})):
            group = file.create_group(name)
            for mark, value in marks.items():
                group.attrs[mark] = value
            put(group, matrix, **options)
            value = options.get("value", np.float64)
            folder.matrices[f"mixed.hdf5:/{name}"] = scipy.sparse.csr_matrix(matrix).astype(value).astype(np.float64)
    with h5py.File(folder.place / "user_block.h5", "w", userblock_size=2048) as file:
        file.attrs["shape"], file.attrs["format"] = wide.shape, "csr"
        put(file, wide)
    folder.matrices["user_block.h5"] = wide


def add_vectors(folder):
    x = np.array([1.5, 0, -2, 0, 0, 3, 0.25, 0])
    tall, two = x.reshape(-1, 1), np.stack([x + 1, x], axis=1)
    folder.vector("x.mtx", mtx(tall), x)
    folder.vector("x.text", mtx(tall), x)
    folder.vector("x_packed.mtx", gzip.compress(mtx(tall)), x)
    folder.vector("x_column.mtx", mtx(scipy.sparse.csr_matrix(tall)), x)
    folder.vector("x_row.mtx", mtx(scipy.sparse.csr_matrix(tall.T)), x)
    folder.vector("x_array_row.mtx", mtx(tall.T), x)
    folder.vector("x_vector.mtx", b"%%MatrixMarket vector coordinate real general\n8 2\n1 1.5\n6 -3\n",
                  np.array([1.5, 0, 0, 0, 0, -3, 0, 0]))
    folder.write("x_two.mtx", mtx(two))
    folder.vectors["x_two.mtx:column=2"] = x
    folder.vector("x_column.npz", npz(scipy.sparse.csc_matrix(tall)), x)
    folder.vector("x_row.npz", npz(scipy.sparse.coo_matrix(tall.T)), x)
    with h5py.File(folder.place / "x.h5", "w") as file:
        file["vector"], file["tall"], file["wide"], file["two"] = x, tall, tall.T, two
        file["booleans"], file["counts"] = x > 0, np.arange(8, dtype=np.uint8)
        file.create_dataset("chunks", data=two, chunks=(3, 1), compression="gzip")
        group = file.create_group("sparse")
        group.attrs["shape"], group.attrs["format"] = tall.shape, "csc"
        put(group, scipy.sparse.csc_matrix(tall))
    for name in "", ":/vector", ":/tall", ":/wide", ":/two:column=2", ":/chunks:column=2", ":/sparse":
        folder.vectors[f"x.h5{name}"] = x
    def big_endian(*parts):
        return b"".join(np.array(numbers, dtype=kind).tobytes() for kind, numbers in parts)
    folder.vector("x.petsc", big_endian((">i4", [1211214, 8]), (">f8", x)), x)
    folder.vectors["x.petsc:column=1"] = x
    folder.write("dense.petsc", big_endian((">i4", [1211216, 8, 2, -1]), (">f8", two.ravel())))
    folder.vectors["dense.petsc:column=2"] = x
    folder.vectors["x.h5:/booleans"], folder.vectors["x.h5:/counts"] = x > 0, np.arange(8)


def refused(folder):
    """Files and names that are refused: {name: words of the message}."""
    matrix = sample(6, 6, 13)
    np.savez(folder.place / "arrays.npz", a=np.ones(3), b=np.ones(2))
    scipy.sparse.save_npz(folder.place / "bsr.npz", scipy.sparse.bsr_matrix(matrix.toarray()))
    scipy.sparse.save_npz(folder.place / "dia.npz", matrix.todia())
    scipy.sparse.save_npz(folder.place / "complex.npz", matrix * 1j)
    scipy.io.savemat(folder.place / "five.mat", {"A": matrix})
    np.save(folder.place / "one.npy", matrix.toarray())
    whole = npz(matrix)
    folder.write("cut.npz", whole[:-30])
    entry = whole.index(b"data.npy", whole.index(b"PK\x01\x02")) - 46  # in the directory; its checksum is at 16
    folder.write("damaged.npz", whole[:entry + 16] + bytes([whole[entry + 16] ^ 1]) + whole[entry + 17:])
    folder.write("lie.npz", npz(matrix, compressed=False).replace(b"(%d,)" % matrix.nnz, b"(99,)"))
    folder.write("other.tar.gz", tar({"a/b.mtx": b"x", "a/c.mtx": b"y"}))
    folder.write("plain.zip", b"")
    with zipfile.ZipFile(folder.place / "plain.zip", "w") as archive:
        archive.writestr("a.mtx", mtx(matrix))
    with h5py.File(folder.place / "odd.h5", "w") as file:
        for name, form, other in ("coo", "coo", None), ("both", "csr", "csc_matrix"):
            group = file.create_group(name)
            group.attrs["shape"], group.attrs["format"] = matrix.shape, form
            if other:
                group.attrs["encoding-type"] = other
            put(group, matrix)
        group = file.create_group("lzf")
        group.attrs["shape"], group.attrs["format"] = matrix.shape, "csr"
        put(group, matrix, compression="lzf")
        group = file.create_group("half")
        group.attrs["shape"], group.attrs["format"] = matrix.shape, "csr"
        put(group, matrix, index=np.float64)
        group["indices"][0] = 0.5
    folder.write("bz2.mtx", b"BZh91AY&SY")
    folder.write("xz.mtx", b"\xfd7zXZ\0\0\4")
    folder.write("zst.mtx", b"\x28\xb5\x2f\xfd\x24")
    folder.write("utf16.mtx", mtx(matrix).decode().encode("utf-16"))
    folder.write("little.petsc", np.array([1211216, 1, 1, 0, 0], dtype="<i4").tobytes())
    folder.write("nothing.xyz", b"hello\n")
    folder.write("packed_five.gz", gzip.compress((folder.place / "five.mat").read_bytes()))
    return {"arrays.npz": ["is no matrix", "format, shape, data", "a, b", "save_npz"],
            "bsr.npz": ["bsr", "tocsr()"], "dia.npz": ["dia", "tocsr()"], "complex.npz": ["complex"],
            "five.mat": ["before version 7.3", "-v7.3", "mmwrite"], "one.npy": [".npy", "save_npz"],
            "cut.npz": ["truncated"], "damaged.npz": ["damaged.npz:data", "checksum"], "lie.npz": ["shape"], "other.tar.gz": ["a/b.mtx, a/c.mtx", "name one as"],
            "set.tar.gz:nothing": ["no member 'nothing'", "set/set.mtx"], "plain.zip": ["is no matrix"],
            "odd.h5:/coo": ["'coo'", "tocsr()"], "odd.h5:/both": ["the opposite"],
            "odd.h5:/lzf": ["filter lzf", "h5repack", "HDF5_PLUGIN_PATH"], "odd.h5:/half": ["not whole"],
            "bz2.mtx": ["bunzip2"], "xz.mtx": ["unxz"], "zst.mtx": ["unzstd"], "utf16.mtx": ["UTF-16", "iconv"],
            "little.petsc": ["little-endian", "big-endian", "MatView"], "nothing.xyz": ["what kind of file", "FILE.mtx"],
            "packed_five.gz": ["gunzip"], "plain.mtx:column=2": ["vectors only"]}


def refused_vectors(_folder):
    return {"x_two.mtx": ["8 x 2", "x_two.mtx:column=1"], "x_two.mtx:column=3": ["no column 3"],
            "x_two.mtx:column=0": ["column=1"], "x.petsc:column=2": ["no column 2"], "x.h5:/two": ["8 x 2", "x.h5:/two:column=1"],
            "set.tar.gz": ["is an archive", "set.tar.gz:set_b.mtx"], "five.mat": ["before version 7.3"],
            "set.tar.gz:set_b.mtx": ["9 entries where 8"], "nothing.xyz": ["what kind of file it is; use FILE.mtx"]}


def make_all(place):
    folder = Folder(place)
    for add in (add_matrix_market, add_archives, add_npz, add_anndata, add_tenx, add_matlab, add_hdf5, add_vectors):
        add(folder)
    return folder
