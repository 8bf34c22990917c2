# SPDX-License-Identifier: BSD-3-Clause
"""Files that appear complete or not at all; all of jobs/ that is Python writes by these functions.

A file is written beside its target as .NAME.HOST.PID.RANDOM.part and renamed. The random name is
made with O_EXCL and O_NOFOLLOW, so nothing that lies there can be written through; a target that is
a symbolic link is followed, and what it names is replaced. What processes of this host have left
behind when they were killed is removed by the next write of the same file. In shell:
shell/whole_files.sh.
"""
import contextlib
import os
import re
import socket
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Union

FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def sha256_of(path: Union[str, Path]) -> str:
    import hashlib  # pylint: disable=import-outside-toplevel  # most calls of programs need none
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # somebody else's
        pass
    return True


def remove_stale(target: Path) -> None:
    """Only of this host: processes of another one cannot be asked."""
    pattern = re.compile(rf"\.{re.escape(target.name)}\.{re.escape(socket.gethostname())}"
                         r"\.(\d+)\.\w+\.part")
    for path in target.parent.glob(".*.part"):
        found = pattern.fullmatch(path.name)
        if found and not is_running(int(found[1])):
            with contextlib.suppress(OSError):
                path.unlink()


@contextlib.contextmanager
def whole(path: Union[str, Path]) -> Iterator[Path]:
    """A name to write to, which then becomes `path`; removed where writing fails."""
    target = Path(os.path.realpath(path))
    remove_stale(target)
    fresh = target.with_name(f".{target.name}.{socket.gethostname()}.{os.getpid()}."
                             f"{os.urandom(4).hex()}.part")
    try:
        os.close(os.open(fresh, FLAGS, 0o666))
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(target)) from None
    try:
        yield fresh
        os.replace(fresh, target)
    except BaseException:
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise


def write_whole(path: Union[str, Path], content: Union[str, bytes]) -> None:
    """Text or bytes."""
    with whole(path) as fresh:
        fresh.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)


def set_aside(paths: Iterable[Union[str, Path]], folder: Union[str, Path]) -> None:
    """Moves what is there of `paths` into FOLDER/before-TIME, which is new."""
    found = [Path(path) for path in paths if os.path.lexists(path)]
    if not found:
        return
    place = Path(folder) / time.strftime("before-%Y%m%dT%H%M%SZ", time.gmtime())
    while True:
        try:
            place.mkdir()
            break
        except FileExistsError:
            place = place.with_name(f"{place.name}-{os.urandom(2).hex()}")
    for path in found:
        path.rename(place / path.name)
