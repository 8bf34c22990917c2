# SPDX-License-Identifier: BSD-3-Clause
"""The lock file: what each archive and matrix was at the first download, in JSON.

  {"schema_version": 1, "matrices": {"Group/Name": {"url", "time", "archive_bytes", "archive_sha256",
                                                    "mtx_bytes", "mtx_sha256"}}}
It may be kept under version control and given to others: every later download is held to it.
"""
import json
import time

from rowhalo_study.studies.ini import WrongInput
from rowhalo_study.whole_files import write_whole

NUMBERS = ("archive_bytes", "archive_sha256", "mtx_bytes", "mtx_sha256")


class Record:
    def __init__(self, path):
        self.path = path
        self.matrices = {}
        if not path.exists():
            return
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            self.matrices = content["matrices"]
            if content["schema_version"] != 1 or not all(
                    set(NUMBERS) <= set(entry) for entry in self.matrices.values()):
                raise ValueError("not of schema_version 1")
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise WrongInput(f"{path}: is not a lock file of this program ({error!r}); move it "
                             "away, or name another one with --lock") from error

    def of(self, name):
        return self.matrices.get(name)

    def add(self, name, url, numbers):
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self.matrices[name] = {"url": url, "time": stamp, **dict(zip(NUMBERS, numbers))}
        ordered = dict(sorted(self.matrices.items()))
        write_whole(self.path, json.dumps({"schema_version": 1, "matrices": ordered},
                                          indent=1) + "\n")
