# SPDX-License-Identifier: BSD-3-Clause
"""One matrix into a folder: download, comparison with the lock file, unpacking.

Order of what is written: the archive (hidden, complete), the matrix, its line in the lock file; then
the archive is removed. Whatever is cut off between, the next call goes on from what is there.
"""
import os
from pathlib import Path
from typing import NamedTuple

from rowhalo_study.matrices.archive import Damaged, unpack
from rowhalo_study.matrices.transfer import Failed, Limits, Part, download, in_words
from rowhalo_study.whole_files import sha256_of


class Wanted(NamedTuple):
    """What the user asked for, for all matrices."""
    folder: Path
    mirror: str
    limits: Limits
    keep_archives: bool
    check: bool     # the checksum of matrices that are there


def url_of(wanted, matrix):
    return f"{wanted.mirror.rstrip('/')}/{matrix.name}.tar.gz"


def archive_of(wanted, matrix):
    return wanted.folder / f".{matrix.short}.tar.gz"


def state_of(wanted, matrix, record):
    """In words; looks at names and sizes only."""
    target, entry = wanted.folder / f"{matrix.short}.mtx", record.of(matrix.name)
    if target.exists():
        if not entry:
            return "there, but not in the lock file"
        return "there" if target.stat().st_size == entry["mtx_bytes"] else "there, but changed"
    part = Part(archive_of(wanted, matrix)).size()
    if archive_of(wanted, matrix).exists():
        return "to unpack"
    return f"to fetch, {in_words(part)} are there" if part else "to fetch"


def check_existing(wanted, matrix, entry, record):
    """A matrix that is there is the recorded one; or Failed."""
    target = wanted.folder / f"{matrix.short}.mtx"
    if not entry:
        raise Failed(f"{target}: is there, but not in {record.path}, so it was not fetched by this "
                     "program, or with another --lock; move it away")
    size = target.stat().st_size
    if size != entry["mtx_bytes"]:
        raise Failed(f"{target}: has {size} bytes, and {record.path} says {entry['mtx_bytes']}: it "
                     "was changed, or is another one; move it away to fetch it again")
    if wanted.check and sha256_of(target) != entry["mtx_sha256"]:
        raise Failed(f"{target}: has another sha256 than {record.path} says: it was changed; move it "
                     "away to fetch it again")


def check_archive(archive, entry, record):
    """The archive is that of the first download; else it is kept under another name, and Failed."""
    size, digest = archive.stat().st_size, sha256_of(archive)
    if entry and (size, digest) != (entry["archive_bytes"], entry["archive_sha256"]):
        kept = archive.with_name(f"{archive.name[1:]}.differs-{digest[:8]}")
        archive.replace(kept)
        raise Failed(f"{kept}: differs from the first download: {size} bytes, sha256 {digest}; "
                     f"{record.path} says {entry['archive_bytes']} bytes, {entry['archive_sha256']} "
                     f"({entry['time']}). Nothing else was changed. If the new one is right, take the "
                     "matrix out of the lock file")
    return size, digest


def unpacked(wanted, matrix, record, progress):
    """Downloads if need be, and unpacks; a damaged archive is fetched once more, from its start."""
    archive, url = archive_of(wanted, matrix), url_of(wanted, matrix)
    entry = record.of(matrix.name)
    for again in (True, False):
        if not archive.exists():
            progress.say("fetches " + url)
            download(url, archive, wanted.limits, progress)
        try:
            if entry:
                numbers = check_archive(archive, entry, record)
            target = wanted.folder / f"{matrix.short}.mtx"
            progress.say("unpacks")
            contents = unpack(archive, matrix.short, target, progress)
            return (*(numbers if entry else check_archive(archive, None, record)), *contents)
        except Damaged as error:
            archive.unlink()
            if not again:
                raise Failed(f"{url}: the archive is damaged, twice: {error}") from error
            progress.say(f"the archive is damaged: {error}")
    raise AssertionError("not reached")


def fetch(wanted, matrix, record, progress):
    """The matrix as NAME.mtx in the folder; 'there' or 'fetched'."""
    archive, entry = archive_of(wanted, matrix), record.of(matrix.name)
    target = wanted.folder / f"{matrix.short}.mtx"
    # With a whole archive beside it, the call before was cut off before it wrote the lock file.
    if target.exists() and (entry or not archive.exists()):
        check_existing(wanted, matrix, entry, record)
        return "there"
    try:
        numbers = unpacked(wanted, matrix, record, progress)
    except OSError as error:
        raise Failed(f"{error.filename or wanted.folder}: {error.strerror or error}") from error
    if not entry:
        record.add(matrix.name, url_of(wanted, matrix), numbers)
    if wanted.keep_archives:
        os.replace(archive, archive.with_name(archive.name[1:]))
    else:
        archive.unlink()
    return "fetched"
