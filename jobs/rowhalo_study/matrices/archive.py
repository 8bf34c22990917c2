# SPDX-License-Identifier: BSD-3-Clause
"""The matrix out of its archive: NAME/NAME.mtx of NAME.tar.gz, and nothing else of it.

No name in the archive is ever used as a path: the one member that is wanted is copied, so that names
which leave the folder, links and devices do nothing. The archive is read to its end, so that gzip's
own checksum counts, before the file appears.
"""
import gzip
import hashlib
import tarfile
import zlib

from rowhalo_study.matrices.transfer import check_space
from rowhalo_study.whole_files import whole

BLOCK = 1 << 20
OPENING = b"%%MatrixMarket"


class Damaged(Exception):
    """The archive is not what it should be."""


def copy(source, target, progress):
    """The sha256 of what was copied."""
    digest, block = hashlib.sha256(), source.read(BLOCK)
    if not block.startswith(OPENING):
        raise Damaged(f"its matrix does not begin with {OPENING.decode()}")
    with open(target, "wb") as file:
        while block:
            file.write(block)
            digest.update(block)
            progress.add(len(block))
            block = source.read(BLOCK)
    return digest.hexdigest()


def unpack(archive, name, target, progress):
    """Writes the matrix; its size and sha256."""
    wanted = f"{name}/{name}.mtx"
    try:
        with gzip.open(archive) as packed, tarfile.open(fileobj=packed, mode="r|") as members:
            for member in members:
                if member.name not in (wanted, f"./{wanted}"):
                    continue
                if not member.isreg():
                    raise Damaged(f"{wanted} in it is not a regular file")
                check_space(target.parent, member.size, f"{target.name} unpacked")
                progress.start(0, member.size)
                with whole(target) as fresh:
                    digest = copy(members.extractfile(member), fresh, progress)
                    while packed.read(BLOCK):
                        pass
                return member.size, digest
    except (EOFError, zlib.error, tarfile.TarError, gzip.BadGzipFile) as error:
        raise Damaged(str(error) or repr(error)) from error
    raise Damaged(f"it holds no {wanted}")
