# SPDX-License-Identifier: BSD-3-Clause
"""One file over HTTP, whatever the connection does: what has arrived is kept and gone on with.

The part that is there and what is known of it (address, size, ETag or date) lie beside each other, so
that another call goes on, too. A server's word is not taken for granted: one that ignores Range sends
all again, one that has another file by now is asked from the start, and one that closes early, or
sends next to nothing, is asked again, --retries times without progress at most.
"""
import http.client
import json
import re
import shutil
import time
import urllib.error
import urllib.request
from typing import NamedTuple

from rowhalo_study.whole_files import write_whole

BLOCK = 1 << 16
LEAST_RATE = 1000       # bytes per second; less over the whole time-out counts as a stall
LONGEST_PAUSE = 30      # seconds between two attempts
SPARE_BYTES = 1 << 24   # that a file system keeps
AGAIN = (408, 425, 429, 500, 502, 503, 504)     # of a server that may answer later


class Failed(Exception):
    """What cannot be had, why, and what to do."""


class Interrupted(Exception):
    """An attempt that may go better the next time."""


class Limits(NamedTuple):
    retries: int
    timeout: float      # seconds


def in_words(count):
    """1234567 as '1.23 MB'."""
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count} B"


def check_space(folder, needed, what):
    free = shutil.disk_usage(folder).free
    if needed + SPARE_BYTES > free:
        raise Failed(f"{folder}: {what} needs {in_words(needed)}, and {in_words(free)} are free; "
                     "make room, or name another --output")


class Part:
    """What has arrived of a file: `NAME.part`, and `NAME.part.json` that says of what."""

    def __init__(self, target):
        self.path = target.with_name(f"{target.name}.part")
        self.notes = target.with_name(f"{target.name}.part.json")

    def size(self):
        return self.path.stat().st_size if self.path.exists() else 0

    def known(self, url):
        """{url, total, validator} of a part of this address; a part of another one is removed."""
        try:
            notes = json.loads(self.notes.read_text(encoding="utf-8"))
            if notes["url"] == url:
                return notes
        except (OSError, ValueError, KeyError, TypeError):
            pass
        self.discard()
        return {"url": url, "total": None, "validator": ""}

    def discard(self):
        for path in (self.path, self.notes):
            if path.exists():
                path.unlink()


def answer_of(url, headers, timeout, method="GET"):
    """The open answer; Failed where asking again is of no use."""
    request = urllib.request.Request(url, method=method, headers={
        "User-Agent": "rowhalo-study", "Accept-Encoding": "identity", **headers})
    try:
        return urllib.request.urlopen(request, timeout=timeout)  # pylint: disable=consider-using-with
    except urllib.error.HTTPError as error:
        if error.code == 416:
            return error
        error.close()
        if error.code in AGAIN:
            raise Interrupted(f"the server says {error.code} {error.reason}") from error
        if error.code == 404:
            raise Failed(f"{url}: there is no such file; names are Group/Name as on "
                         "https://sparse.tamu.edu, and --mirror URL is the folder of the groups"
                         ) from error
        raise Failed(f"{url}: the server says {error.code} {error.reason}") from error
    except (OSError, http.client.HTTPException) as error:
        raise Interrupted(f"no connection: {getattr(error, 'reason', error) or error!r}") from error
    except ValueError as error:
        raise Failed(f"{url}: {error}") from error


def number(text):
    return int(text) if text and text.strip().isdigit() else None


def range_of(answer):
    """Where it begins and the size of the whole file, either None, as Content-Range says."""
    found = re.fullmatch(r"bytes (?:(\d+)-\d+|\*)/(\d+|\*)",
                         (answer.headers.get("Content-Range") or "").strip())
    return (number(found[1]), number(found[2])) if found else (None, None)


def validator_of(answer):
    """What If-Range takes: a strong ETag, else the date."""
    tag = answer.headers.get("ETag") or ""
    return tag if tag.startswith('"') else answer.headers.get("Last-Modified") or ""


def copy(answer, part, mode, timeout, progress):
    """Appends what comes; Interrupted when nothing, or next to nothing, comes for `timeout`."""
    since, received = time.monotonic(), 0
    with open(part.path, mode) as file:
        while True:
            try:
                block = answer.read1(BLOCK)
            except (OSError, http.client.HTTPException) as error:
                raise Interrupted(f"the connection broke: {error or repr(error)}") from error
            if not block:
                return
            file.write(block)
            file.flush()
            received += len(block)
            progress.add(len(block))
            if time.monotonic() - since > timeout:
                if received < LEAST_RATE * timeout:
                    raise Interrupted(f"only {received} bytes in {timeout:g} s")
                since, received = time.monotonic(), 0


def attempt(url, part, timeout, progress):
    """Goes on with the part; returns when all is there."""
    notes, have = part.known(url), part.size()
    headers = {}
    if have:
        headers["Range"] = f"bytes={have}-"
        if notes["validator"]:
            headers["If-Range"] = notes["validator"]
    with answer_of(url, headers, timeout) as answer:
        status = answer.getcode()
        first, total = range_of(answer)
        if status == 416 and have and total == have:
            return
        if status == 206 and first == have and total in (notes["total"] or total, None):
            total = total or notes["total"]
        elif status == 200:
            have, total = 0, number(answer.headers.get("Content-Length"))
        else:
            part.discard()
            raise Interrupted(f"the server gave another part than asked for, or has another file "
                              f"now (status {status})")
        check_space(part.path.parent, (total or have) - have, "the download")
        write_whole(part.notes, json.dumps({"url": url, "total": total,
                                            "validator": validator_of(answer)}))
        progress.start(have, total)
        copy(answer, part, "ab" if have else "wb", timeout, progress)
    if total is not None and part.size() < total:
        raise Interrupted(f"the server closed after {part.size()} of {total} bytes")


def download(url, target, limits, progress):
    """The file at `url` as `target`, complete. Failed keeps the part, which the next call goes on with."""
    part = Part(target)
    most, failures = part.size(), 0
    while True:
        try:
            attempt(url, part, limits.timeout, progress)
            break
        except Interrupted as error:
            failures = 0 if part.size() > most else failures + 1
            most = max(most, part.size())
            if failures > limits.retries:
                raise Failed(f"{url}: {error}; gave up after {failures} attempts without progress; "
                             "call again to go on") from error
            pause = min(2 ** failures, LONGEST_PAUSE)
            progress.say(f"{error}; goes on in {pause} s")
            time.sleep(pause)
    part.path.replace(target)
    part.discard()


def size_at(url, timeout):
    """Bytes of the file, by the server's word; None where it does not say."""
    with answer_of(url, {}, timeout, "HEAD") as answer:
        return number(answer.headers.get("Content-Length"))
