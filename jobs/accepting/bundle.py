# SPDX-License-Identifier: BSD-3-Clause
"""The bundle: one archive that holds an official result, and its check on any machine.

A .tar.gz of: plan.json, before.json, study.ini, site.ini; points/ with reports, logs and provenance;
jobs/ with the scheduler's scripts and logs; results.csv, rating.json and rating.txt; scripts/, which
check the bundle by themselves; and MANIFEST.sha256 in the form of sha256sum. The same files give the
same bytes. The check reads the archive in memory and unpacks nothing.
"""
import gzip
import hashlib
import io
import json
import re
import tarfile
import zlib
from pathlib import Path

from accepting.rating import Broken, assess, evidence_of, lines_of, table_of
from whole_files import write_whole

JOBS = Path(__file__).resolve().parents[1]
MANIFEST, RATING, TABLE, TEXT = "MANIFEST.sha256", "rating.json", "results.csv", "rating.txt"
MADE = (MANIFEST, RATING, TABLE, TEXT)
KEPT = ("plan.json", "before.json", "study.ini", "site.ini", "points/*/point.json",
        "points/*/result-*.json", "points/*/log-*.txt", "points/*/run.txt", "points/*/done",
        "points/*/error", "points/*/provenance/*.txt", "jobs/*")
SCRIPTS = ("official.py", "calling.py", "RULES.md", "study.py", "run.sh", "compare.py", "comparing.py",
           "whole_files.py", "accepting/*.py", "studying/*.py", "plotting/*.py", "shell/*.sh")
MOST_BYTES = 2 << 30  # of a bundle when it is unpacked


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
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=6) as archive:
        for path, content in sorted(files.items()):
            member = tarfile.TarInfo(f"{name}/{path}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    content = bytearray(packed.getvalue())
    content[4:8] = bytes(4)  # gzip's own time
    return bytes(content)


def make(folder):
    """Writes results.csv, rating.* and the bundle into the folder; the result and the bundle's path."""
    files = files_of(folder)
    result = assess(files)
    files[TABLE] = table_of(evidence_of(files)).encode()
    files[RATING] = (json.dumps(result, indent=1) + "\n").encode()
    files[TEXT] = ("\n".join(lines_of(result)) + "\n").encode()
    for name in (TABLE, RATING, TEXT):
        write_whole(Path(folder) / name, files[name])
    for pattern in SCRIPTS:
        for path in JOBS.glob(pattern):
            files[f"scripts/{path.relative_to(JOBS).as_posix()}"] = path.read_bytes()
    files[MANIFEST] = manifest_of(files).encode()
    bundle = Path(folder) / f"{result['name']}.tar.gz"
    write_whole(bundle, archive_of(files, result["name"]))
    return result, bundle


def read(path):
    """{name: bytes} of a bundle, without its top folder."""
    files = {}
    try:
        with gzip.open(path) as packed:
            content = packed.read(MOST_BYTES)
            if packed.read(1):
                raise Broken(f"is no bundle: holds more than {MOST_BYTES >> 30} GB")
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            for member in archive:
                if member.isdir():
                    continue
                if not member.isfile():
                    raise Broken(f"{member.name}: is no plain file")
                name = member.name.partition("/")[2]
                if not name or name in files:
                    raise Broken(f"{member.name}: is not in the bundle's folder, or there twice")
                files[name] = archive.extractfile(member).read()
    except FileNotFoundError as error:
        raise Broken("there is no such file") from error
    except (OSError, EOFError, tarfile.TarError, ValueError, zlib.error) as error:
        raise Broken(f"is no bundle, or is damaged: {error}") from error
    if MANIFEST not in files:
        raise Broken(f"holds no {MANIFEST}: not a bundle of official.py")
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
        yield f"{RATING} says {path} = {said}; its reports give {found}"


def check(path):
    """The result as the reports give it, what is wrong with the bundle, and its files."""
    files = read(path)
    wrong = list(wrong_hashes(files))
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
        said = json.loads(files[RATING].decode())
    except ValueError as error:
        return result, [*wrong, f"{RATING}: is not JSON: {error}"], files
    wrong += differences(said, json.loads(json.dumps(result)))
    if files[TABLE].decode(errors="replace") != table_of(evidence_of(kept)):
        wrong.append(f"{TABLE}: is not the table of its reports")
    return result, wrong, files
