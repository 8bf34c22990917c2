# SPDX-License-Identifier: BSD-3-Clause
"""Links of built HTML pages: those inside the site must lead to a file, and to a place in it if they name one."""
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links of a page, and the places that links may name."""

    def __init__(self, path):
        super().__init__()
        self.links, self.places = [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if attributes.get("id"):
            self.places.add(attributes["id"])
        if tag == "a" and attributes.get("name"):
            self.places.add(attributes["name"])
        for name in ("href", "src"):
            if attributes.get(name):
                self.links.append(attributes[name])


def check_html(folder):
    """(broken links, external links) of all pages below a folder."""
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html"))}
    broken, external = [], set()
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if parts.scheme != "data":
                    external.add(link)
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            place = unquote(parts.fragment)
            if not target.is_file():
                broken.append(f"{path.relative_to(folder)}: links to {link}, which is not there")
            elif place and target in pages and place not in pages[target].places:
                broken.append(f"{path.relative_to(folder)}: links to {link}: that page has no such place")
    return broken, sorted(external)
