# SPDX-License-Identifier: BSD-3-Clause
"""Validates JSON reports against the schema, and the schema's strictness: every report must fail
when a name is missing or one is added, on any level. Usage: check_schema.py SCHEMA REPORT..."""
import copy
import json
import sys

import jsonschema


def objects(value, path=()):
    """Paths of all objects in a report."""
    if isinstance(value, dict):
        yield path
        items = value.items()
    else:
        items = enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from objects(item, path + (key,))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def main():
    with open(sys.argv[1]) as file:
        schema = json.load(file)
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    for name in sys.argv[2:]:
        with open(name) as file:
            report = json.load(file)
        validator.validate(report)
        for path in objects(report):
            longer = copy.deepcopy(report)
            at(longer, path)["surplus"] = 1
            assert not validator.is_valid(longer), f"{name}: a surplus name passes at {path}"
            for key in at(report, path):
                shorter = copy.deepcopy(report)
                del at(shorter, path)[key]
                assert not validator.is_valid(shorter), f"{name}: {path} passes without {key}"
        print(f"{name}: valid")


main()
