# SPDX-License-Identifier: BSD-3-Clause
"""INI files whose every mistake is reported with file, line and remedy.

configparser reads; this adds the line of each key and refuses sections and keys that nobody asks
for, since a misspelt key would otherwise silently keep its default.
"""
import configparser
import re

CONTROL = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]")  # all but tabulators


class WrongInput(Exception):
    """What is wrong, where, and what to do. The program ends with status 2."""


def parsed(text):
    parser = configparser.ConfigParser(interpolation=None, delimiters=("=",), default_section="\0",
                                       empty_lines_in_values=False)
    parser.optionxform = str
    parser.read_string(text)
    return parser


def differences(before, after):
    """'[section] key: before -> after' of every key that two texts differ in."""
    values = [{(section, key): " ".join(value.split()) for section, keys in parsed(text).items()
               for key, value in keys.items()} for text in (before, after)]
    for section, key in dict.fromkeys([*values[0], *values[1]]):
        was, now = (each.get((section, key), "") for each in values)
        if was != now:
            yield f"[{section}] {key}: {was or 'empty'} -> {now or 'empty'}"


class IniFile:
    """A file with the sections and keys of `known`: {section: keys, or None for any key}.
    `gone` says what to do about keys that there were once: {(section, key): message}."""

    def __init__(self, path, known, gone=None):
        self.path = path
        try:
            self.text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise WrongInput(f"{path}: cannot be read: {error}") from error
        for number, line in enumerate(self.text.split("\n"), 1):
            if CONTROL.search(line.rstrip("\r")):
                raise WrongInput(f"{path}:{number}: holds a control character: {line}; take it out")
        try:
            self.parser = parsed(self.text)
        except configparser.MissingSectionHeaderError as error:  # before its base class
            raise WrongInput(f"{path}:{error.lineno}: a [section] must come first") from error
        except configparser.ParsingError as error:
            number, line = error.errors[0]
            raise WrongInput(f"{path}:{number}: neither [section] nor key = value: "
                             f"{line.strip()}") from error
        except (configparser.DuplicateOptionError, configparser.DuplicateSectionError) as error:
            raise WrongInput(f"{path}:{error.lineno}: stands twice; keep one: {error}") from error
        self.lines = self.numbers_of_lines()
        self.refuse_unknown(known, gone or {})

    def numbers_of_lines(self):
        """{(section, key): line}; the section itself under key ''."""
        numbers, section = {}, ""
        for number, line in enumerate(self.text.split("\n"), 1):
            header = re.match(r"\[([^\]]*)\]", line)
            key = re.match(r"([^\s#;\[=][^=]*?)\s*=", line)
            if header:
                section = header[1]
                numbers[section, ""] = number
            elif key:
                numbers[section, key[1]] = number
        return numbers

    def refuse_unknown(self, known, gone):
        for section in self.parser.sections():
            if section not in known:
                raise self.wrong(section, "", f"unknown section; use {', '.join(known)}")
            for key in self.parser[section]:
                if known[section] is not None and key not in known[section]:
                    raise self.wrong(section, key, gone.get(
                        (section, key), f"unknown key; use {', '.join(known[section])}"))

    def wrong(self, section, key, message):
        """The error to raise about a key, or a section's lack of one."""
        number = self.lines.get((section, key)) or self.lines.get((section, "")) or 1
        name = f"[{section}] {key}".strip()
        return WrongInput(f"{self.path}:{number}: {name}: {message}")

    def has(self, section, key):
        return self.parser.has_option(section, key)

    def line(self, section, key, default=""):
        """A value of one line."""
        value = self.parser.get(section, key, fallback=default).strip()
        if "\n" in value:
            raise self.wrong(section, key, "one line is expected")
        return value

    def needed(self, section, key, remedy):
        value = self.line(section, key)
        if not value:
            raise self.wrong(section, key, f"is missing; {remedy}")
        return value

    def choice(self, section, key, allowed, default):
        value = self.line(section, key, default)
        if value not in allowed:
            raise self.wrong(section, key, f"{value!r}: use {', '.join(allowed)}")
        return value

    def listed(self, section, key):
        """Values of one line each."""
        value = self.parser.get(section, key, fallback="")
        return [line.strip() for line in value.split("\n") if line.strip()]

    def integer(self, section, key, default, least=1):
        text = self.line(section, key, str(default))
        if not re.fullmatch(r"\d+", text) or int(text) < least:
            raise self.wrong(section, key, f"{text!r}: a whole number from {least} on is expected")
        return int(text)

    def integers(self, section, key):
        """A comma list of whole numbers from 1 on."""
        words = [word.strip() for word in self.line(section, key).split(",") if word.strip()]
        for word in words:
            if not re.fullmatch(r"[1-9]\d*", word):
                raise self.wrong(section, key, f"{word!r}: whole numbers from 1 on, parted by "
                                 "commas, are expected")
        return [int(word) for word in words]

    def section(self, section):
        """All keys of a section."""
        return dict(self.parser[section]) if self.parser.has_section(section) else {}
