# SPDX-License-Identifier: BSD-3-Clause
"""JSON that others wrote: read strictly, and kept only as far as a table of its fields knows it.

A shape looks like the JSON itself: an object is {key: shape}, or {"*": shape} for any key, a list [shape],
and anything else a Kind with its range. A key that ends with ! must be there. null means "not measured" and
passes for every other key. `kept` drops what the shape does not name: a program that reads a field which no
shape names finds nothing, so every number that is read has a kind and a range.
"""
import json
import math
import re
import reprlib
from typing import NamedTuple, Optional

MOST_DIGITS = 18        # of a whole number; longer ones become floating-point, in no time
BRIEF = reprlib.Repr()
BRIEF.maxstring = BRIEF.maxother = BRIEF.maxlong = 60
INFINITE = float("inf")
LARGEST_WHOLE = 2 ** 53


class Kind(NamedTuple):
    """What a value must be. `types`: exactly these, so that true is no 1."""
    title: str
    types: tuple
    low: float = -INFINITE
    high: float = INFINITE
    choices: tuple = ()
    pattern: Optional[str] = None   # of the whole text

    def between(self, low, high):
        return self._replace(low=low, high=high)

    def one_of(self, *choices):
        return self._replace(choices=choices)

    def matching(self, pattern):
        return self._replace(pattern=pattern)

    def or_text(self, *choices):
        """A number, or one of these texts."""
        return self._replace(types=(*self.types, str), pattern="|".join(map(re.escape, choices)),
                             title=f"{self.title} or {' or '.join(map(repr, choices))}")

    def wanted(self):
        if self.choices:
            return f"one of {', '.join(map(str, self.choices))}"
        if self.pattern and str in self.types and self.low == -INFINITE:
            return f"{self.title} that matches {self.pattern}"
        if self.low == -INFINITE:
            return self.title
        to_high = f" to {self.high:g}" if self.high < LARGEST_WHOLE else " on"
        return f"{self.title} from {self.low:g}{to_high}"

    def fits(self, value):
        if type(value) not in self.types or (self.choices and value not in self.choices):
            return False
        if isinstance(value, str):
            # No system call takes a NUL.
            return "\0" not in value and (self.pattern is None or bool(re.fullmatch(self.pattern, value)))
        return math.isfinite(value) and self.low <= value <= self.high


TEXT = Kind("text", (str,))
TRUTH = Kind("true or false", (bool,))
ANY_NUMBER = Kind("a number", (int, float))
NUMBER = ANY_NUMBER.between(0, INFINITE)
WHOLE = Kind("a whole number", (int,), 0, LARGEST_WHOLE)
COUNT = WHOLE.between(1, LARGEST_WHOLE)
SHARE = NUMBER.between(0, 1)


def brief(value):
    """A value for a message, as JSON names it, however large or deep it is."""
    if value is None or isinstance(value, bool) or value != value:
        return {None: "null", True: "true", False: "false"}.get(value, "NaN")
    return BRIEF.repr(value)


def unique_keys(pairs):
    found = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {brief(key)} stands twice in an object")
        found[key] = value
    return found


def parse_json(content):
    """The value in text or bytes; ValueError says in a line what is wrong."""
    try:
        text = content if isinstance(content, str) else content.decode("utf-8")
        return json.loads(text, object_pairs_hook=unique_keys,
                          parse_int=lambda digits: int(digits) if len(digits) <= MOST_DIGITS else float(digits))
    except UnicodeDecodeError as error:
        raise ValueError(f"is not UTF-8: byte {error.start}") from error
    except RecursionError as error:
        raise ValueError("is nested too deeply") from error
    except ValueError as error:
        raise ValueError(f"is not JSON: {error}") from error


def joined(path, key):
    return f"{path}.{key}" if path else key


def kept(value, shape, wrong, path=""):
    """The part of a value that the shape knows. Appends to `wrong` a line for what does not fit, in whose
    place None is kept."""
    if isinstance(shape, dict):
        if isinstance(value, dict):
            return kept_object(value, shape, wrong, path)
        wanted = "an object"
    elif isinstance(shape, list):
        if isinstance(value, list):
            return [kept_entry(entry, shape[0], wrong, f"{path}[{place}]") for place, entry in enumerate(value)]
        wanted = "a list"
    elif shape.fits(value):
        return value
    else:
        wanted = shape.wanted()
    wrong.append(f"{path or 'all of it'} is {brief(value)}, not {wanted}")
    return None


def kept_entry(entry, shape, wrong, path):
    """A list has no entry that is null, unless its numbers may be."""
    if entry is None and isinstance(shape, Kind) and NUMBER.types == shape.types:
        return None
    return kept(entry, shape, wrong, path)


def kept_object(value, shape, wrong, path):
    if "*" in shape:
        return {key: None if one is None else kept(one, shape["*"], wrong, joined(path, key))
                for key, one in value.items()}
    found = {}
    for key, inner in shape.items():
        name = key.rstrip("!")
        if value.get(name) is not None:
            found[name] = kept(value[name], inner, wrong, joined(path, name))
        elif name != key:
            wrong.append(f"{joined(path, name)} is {'null' if name in value else 'missing'}")
        elif name in value:
            found[name] = None
    return found


def summary(wrong):
    """The lines of `kept` as one."""
    more = f"; and {len(wrong) - 1} more" if len(wrong) > 1 else ""
    return f"{wrong[0]}{more}"
