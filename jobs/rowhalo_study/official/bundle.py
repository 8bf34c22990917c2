# SPDX-License-Identifier: BSD-3-Clause
"""The bundle: one archive that holds an official result, and its check on any machine.

A .tar.gz of: plan.json, before.json, study.ini, site.ini; points/ with reports, logs and provenance;
jobs/ with the scheduler's scripts and logs; results.csv, rating.json and rating.txt; scripts/, which
check the bundle by themselves; and MANIFEST.sha256 in the form of sha256sum. The same files give the
same bytes. The check reads the archive in memory, one member after the other, and unpacks nothing. What a
bundle says of sizes and counts is compared with limits first, so that it costs what its bytes cost.
"""
import gzip
import hashlib
import io
import itertools
import json
import re
import tarfile
import zlib
from pathlib import Path

from rowhalo_study.calling import JOBS
from rowhalo_study.names import lines_text
from rowhalo_study.official.rating import Broken, assess, evidence_of, lines_of, table_of
from rowhalo_study.studies.shape import brief, parse_json
from rowhalo_study.whole_files import write_whole

MANIFEST, RATING, TABLE, TEXT = "MANIFEST.sha256", "rating.json", "results.csv", "rating.txt"
MADE = (MANIFEST, RATING, TABLE, TEXT)
KEPT = ("plan.json", "before.json", "study.ini", "site.ini", "points/*/point.json",
        "points/*/result-*.json", "points/*/log-*.txt", "points/*/run.txt", "points/*/done",
        "points/*/error", "points/*/provenance/*.txt", "jobs/*")
SCRIPTS = ("rowhalo-study", "RULES.md", "run.sh", "shell/*.sh", "rowhalo_study/*.py",
           *(f"rowhalo_study/{folder}/*.py" for folder in ("cli", "compare", "official", "plots", "results",
                                                           "schedulers", "studies")))
# Limits of a bundle; RULES.md names them. Reports and logs become 5 to 20 times smaller when they are packed.
MOST_BYTES, FREE_BYTES, MOST_RATIO = 2 << 30, 32 << 20, 40
MOST_FILES = 10000
MOST_DIFFERENCES = 100  # that are told
BLOCK, MOST_END = tarfile.BLOCKSIZE, 1 << 20
KINDS = {tarfile.LNKTYPE: "a hard link", tarfile.SYMTYPE: "a symbolic link", tarfile.CHRTYPE: "a device",
         tarfile.BLKTYPE: "a device", tarfile.FIFOTYPE: "a pipe", tarfile.GNUTYPE_SPARSE: "a sparse file"}


def files_of(folder):
    """{name: bytes} of what a bundle keeps of the folder."""
    paths = sorted(path for pattern in KEPT for path in Path(folder).glob(pattern) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def manifest_of(files):
    return "".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n"
                   for name, content in sorted(files.items()))


def archive_of(files, name):
    """The bytes of a .tar.gz without times and owners."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=6, format=tarfile.USTAR_FORMAT) as archive:
        for path, content in sorted(files.items()):
            member = tarfile.TarInfo(f"{name}/{path}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    content = bytearray(packed.getvalue())
    content[4:8] = bytes(4)  # gzip's own time
    limits = Limits(len(content))
    for path in files:
        limits.take(path, len(files[path]))
    return bytes(content)


def make(folder):
    """Writes results.csv, rating.* and the bundle into the folder; the result and the bundle's path."""
    files = files_of(folder)
    result = assess(files)
    files[TABLE] = table_of(evidence_of(files)).encode()
    files[RATING] = (json.dumps(result, indent=1) + "\n").encode()
    files[TEXT] = lines_text(lines_of(result)).encode()
    for name in (TABLE, RATING, TEXT):
        write_whole(Path(folder) / name, files[name])
    for pattern in SCRIPTS:
        for path in JOBS.glob(pattern):
            files[f"scripts/{path.relative_to(JOBS).as_posix()}"] = path.read_bytes()
    files[MANIFEST] = manifest_of(files).encode()
    bundle = Path(folder) / f"{result['name']}.tar.gz"
    write_whole(bundle, archive_of(files, result["name"]))
    return result, bundle


class Limits:
    """What a bundle of so many bytes may hold."""

    def __init__(self, packed):
        self.most = self.left = min(MOST_BYTES, FREE_BYTES + MOST_RATIO * packed)
        self.files = 0

    def take(self, name, size):
        """Counts a file before it is read."""
        self.files += 1
        if self.files > MOST_FILES:
            raise Broken(f"{name}: is one file more than the {MOST_FILES} that a bundle may hold")
        if not 0 <= size <= self.left:
            raise Broken(f"{name}: says that it holds {size} bytes; a bundle of this size may hold "
                         f"{self.most >> 20} MiB in all")
        self.left -= size


def name_in(member, top):
    """The name of a plain file in the bundle's folder; empty for a folder."""
    if member.type not in (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.DIRTYPE):
        kind = KINDS.get(member.type, f"of kind {member.type.decode(errors='replace')}")
        raise Broken(f"{brief(member.name)}: is no plain file, but {kind}")
    parts = member.name.split("/")
    if (not member.name.isprintable() or "\\" in member.name or {"", ".", ".."}.intersection(parts)
            or parts[0] != (top or parts[0]) or len(parts) < (1 if member.isdir() else 2)):
        raise Broken(f"{brief(member.name)}: is no name of a file in the bundle's folder")
    if member.isdir() and member.size:
        raise Broken(f"{brief(member.name)}: is a folder and says that it has a size")
    return "" if member.isdir() else "/".join(parts[1:])


def members_of(packed, limits):
    """(name, bytes) of every file; one header after the other, none of which refers to another."""
    top = ""
    while True:
        block = packed.read(BLOCK)
        if block == bytes(BLOCK):
            break
        member = tarfile.TarInfo.frombuf(block, "utf-8", "strict")
        name = name_in(member, top)
        top = member.name.partition("/")[0]
        limits.take(member.name, member.size)
        if not name:
            continue
        padded = -(-member.size // BLOCK) * BLOCK
        content = packed.read(padded)
        if len(content) < padded:
            raise Broken(f"{member.name}: is cut off")
        yield name, content[:member.size]
    rest = packed.read(MOST_END + 1)  # to its end, where the checksum is
    if len(rest) > MOST_END or rest.strip(b"\0"):
        raise Broken("holds more after its last file")


def read(path):
    """{name: bytes} of a bundle, without its top folder."""
    files = {}
    try:
        with gzip.open(path) as packed:
            for name, content in members_of(packed, Limits(Path(path).stat().st_size)):
                if name in files:
                    raise Broken(f"{name}: is there twice")
                files[name] = content
    except FileNotFoundError as error:
        raise Broken("there is no such file") from error
    except (OSError, EOFError, tarfile.TarError, ValueError, zlib.error) as error:
        raise Broken(f"is no bundle, or is damaged: {error}") from error
    if MANIFEST not in files:
        raise Broken(f"holds no {MANIFEST}: not a bundle of rowhalo-study official")
    return files


def wrong_hashes(files):
    """What differs from the manifest, a line each."""
    listed = {name: digest for digest, name in re.findall(
        r"^([0-9a-f]{64})  (.+)$", files[MANIFEST].decode(errors="replace"), re.MULTILINE)}
    for name in sorted({*listed, *files} - {MANIFEST}):
        if name not in files:
            yield f"{name}: is in {MANIFEST} and not in the bundle"
        elif name not in listed:
            yield f"{name}: is not in {MANIFEST}"
        elif hashlib.sha256(files[name]).hexdigest() != listed[name]:
            yield f"{name}: was changed after the bundle was made (its sha256 is not that of {MANIFEST})"


def differences(said, found, path=""):
    """Where two values of JSON differ, a line each."""
    if isinstance(said, dict) and isinstance(found, dict):
        for key in sorted({*said, *found}):
            yield from differences(said.get(key), found.get(key), f"{path}.{key}".lstrip("."))
    elif isinstance(said, list) and isinstance(found, list) and len(said) == len(found):
        for number, pair in enumerate(zip(said, found)):
            yield from differences(*pair, f"{path}[{number}]")
    elif said != found and not (isinstance(said, float) and isinstance(found, float)
                                and abs(said - found) <= 1e-9 * abs(found)):
        words = [value if isinstance(value, str) and len(value) < 100 else brief(value)
                 for value in (said, found)]
        yield f"{RATING} says {path} = {words[0]}; its reports give {words[1]}"


def check(path):
    """The result as the reports give it, what is wrong with the bundle, and its files."""
    files = read(path)
    wrong = list(itertools.islice(wrong_hashes(files), MOST_DIFFERENCES))
    kept = {name: content for name, content in files.items()
            if name not in MADE and not name.startswith("scripts/")}
    try:
        result = assess(kept)
    except Broken as error:
        raise Broken("; ".join([*wrong, str(error)])) from error
    for name in (RATING, TABLE):
        if name not in files:
            return result, [*wrong, f"{name}: is missing"], files
    try:
        said = parse_json(files[RATING])
    except ValueError as error:
        return result, [*wrong, f"{RATING}: {error}"], files
    wrong += itertools.islice(differences(said, json.loads(json.dumps(result))), MOST_DIFFERENCES)
    if files[TABLE].decode(errors="replace") != table_of(evidence_of(kept)):
        wrong.append(f"{TABLE}: is not the table of its reports")
    return result, wrong, files
