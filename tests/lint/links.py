# SPDX-License-Identifier: BSD-3-Clause
"""Links in Markdown files to files, folders and headings of the repository. Others (https) are not followed."""
import re

FENCE = re.compile(r"^ *(```|~~~)")
LINK = re.compile(r"\]\(<?([^)<>\s]+)>?(?: \"[^\"]*\")?\)")


def prose(lines):
    """Numbered lines outside of fences."""
    fenced = False
    for number, line in enumerate(lines, 1):
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield number, line


def slug(heading):
    """The anchor that GitHub and the documentation site give a heading."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "").replace("\\", "")
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


def anchors(lines):
    found = set()
    for _, line in prose(lines):
        if heading := re.match(r"#+ +(.*)", line):
            name = slug(heading[1])
            repeated = sum(1 for other in found if other == name or re.fullmatch(rf"{re.escape(name)}-\d+", other))
            found.add(f"{name}-{repeated}" if repeated else name)
    return found


def check_links(tree):
    """Relative links of every .md file, with the headings that they name."""
    for name in (file for file in tree.files if file.endswith(".md")):
        for number, line in prose(tree.lines(name)):
            for target in LINK.findall(re.sub(r"`[^`]*`", "``", line)):
                path, _, anchor = target.partition("#")
                if re.match(r"[a-z]+:", target):
                    continue
                place = (tree.source / name).parent / path if path else tree.source / name
                if not place.exists():
                    yield f"{name}:{number}: links to {target}, which is not there"
                elif anchor and place.suffix == ".md" and anchor not in anchors(
                        place.read_text(encoding="utf-8").split("\n")):
                    yield f"{name}:{number}: links to {target}: that file has no such heading"
