# SPDX-License-Identifier: BSD-3-Clause
"""Pages of rowhalo-study report for its tests: made from inputs, and taken apart again by an HTML parser."""
import base64
import html
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser

from results import JOBS, launch, script


class Page(HTMLParser):
    """What a browser would see: elements, what they would load, scripts, texts."""

    def __init__(self, path):
        super().__init__(convert_charrefs=True)
        self.path, self.source = path, path.read_text(encoding="utf-8")
        self.elements, self.scripts, self.words = [], [], []
        self.open = []
        self.feed(self.source)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in ("meta", "link", "img", "input", "br", "hr"):
            self.open.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            raise AssertionError(f"</{tag}> closes nothing")

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data
        elif not self.open or self.open[-1] != "style":
            self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())

    @property
    def model(self):
        return json.loads(self.scripts[0])

    def sections(self):
        """Anchors of the charts' sections."""
        return [attributes["id"] for tag, attributes in self.elements
                if tag == "section" and attributes.get("class") == "charts"]

    def pictures(self, section=None):
        """SVG of all pictures, or of those in one section."""
        part = self.source if section is None else self.part(section)
        return [base64.b64decode(one).decode() for one in re.findall(r'src="data:image/svg\+xml;base64,([^"]*)"', part)]

    def metas(self, section):
        """What the selectors choose each line of its tables by."""
        return [json.loads(html.unescape(one)) for one in re.findall(r'<tr data-meta="([^"]*)"', self.part(section))]

    def part(self, section):
        return re.search(rf'<section [^>]*id="{section}".*?</section>', self.source, re.DOTALL)[0]

    def verdict(self):
        return re.search(r'<div class="word">(.*?)</div>', self.source)[1]

    def choices(self):
        """{selector: values}."""
        found = {}
        for tag, attributes in self.elements:
            if tag == "select":
                found[attributes["data-key"]] = []
            elif tag == "option" and attributes["value"]:
                found[list(found)[-1]].append(attributes["value"])
        return found


class PageCase(launch.Case):
    """Tests that make pages."""

    def report(self, *words, status=0, path=None):
        """What rowhalo-study report prints: its output, or its message."""
        if path:
            made = subprocess.run([sys.executable, "-B", str(JOBS / "rowhalo-study"), "report", *map(str, words)], cwd=self.place,
                                  env={**os.environ, "PYTHONPATH": str(path)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True, check=False, timeout=launch.PATIENCE)
        else:
            made = script("report", *words)
        self.assertEqual(made.returncode, status, made.stdout + made.stderr)
        return made.stdout if status == 0 else made.stderr

    def page(self, *words, name="page.html"):
        target = self.place / name
        self.assertEqual(self.report(*words, "--output", target), f"{target}\n")
        return Page(target)
