# SPDX-License-Identifier: BSD-3-Clause
"""Holds a report in HDF5 against the same report in JSON: every name, value and null."""
import json

import h5py
import numpy


def plain(found):
    return found.decode() if isinstance(found, bytes) else found


def leaves(value, path=()):
    """Every scalar and list of a report with its path."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, path + (key,))
    else:
        yield path, value


def check_leaf(case, file, path, value):
    if value and isinstance(value, list) and isinstance(value[0], dict):
        group = file["/".join(path[:-1] if path[-1] == "flows" else path)]
        for name in value[0]:
            column = [item[name] for item in value]
            found = [plain(item) for item in group[name][:]]
            if isinstance(column[0], list):
                found = [json.loads(item) for item in found]  # a list within a table is text
            case.assertEqual([None if isinstance(item, float) and numpy.isnan(item) else item
                              for item in found], column)
    elif isinstance(value, list):
        case.assertEqual([plain(item) for item in file["/".join(path)][:]], value)
    else:
        found = file["/" + "/".join(path[:-1])].attrs[path[-1]]
        if value is None:
            case.assertIsInstance(found, h5py.Empty)
        else:
            case.assertEqual(found, value)


def check(case, target, report, beside=()):
    """`beside`: sections that only HDF5 has, null in the JSON."""
    with h5py.File(target) as file:
        for path, value in leaves(report):
            if path[0] in beside:
                continue
            with case.subTest(path):
                check_leaf(case, file, path, value)
