# SPDX-License-Identifier: BSD-3-Clause
"""Sphinx's settings of the documentation site; build.py gives the place of the XML."""
import importlib.util
import logging

project = "Rowhalo"
copyright = "the Rowhalo developers, BSD-3-Clause"  # noqa: A001 (Sphinx's name)
extensions = ["breathe", "myst_parser"]
exclude_patterns = ["miniapp/examples", "miniapp/bindings"]
myst_heading_anchors = 4
breathe_default_project = "rowhalo"
breathe_show_include = False
primary_domain = "cpp"
highlight_language = "none"
html_title = "Rowhalo"
if importlib.util.find_spec("furo"):
    html_theme = "furo"
else:
    html_theme = "alabaster"
    html_theme_options = {"page_width": "1240px", "code_font_size": "0.78em",
                          "description": "distributed sparse matrix-vector products"}
html_static_path = ["static"]
html_css_files = ["rowhalo.css"]
html_copy_source = False
html_show_sourcelink = False


class NamespaceReopened(logging.Filter):
    """Every header has a page and opens the same namespace; Sphinx takes that for a declaration made twice."""

    def filter(self, record):
        return "Declaration is '.. cpp:type:: rowhalo" not in record.getMessage()


logging.getLogger("sphinx.sphinx.domains.cpp").addFilter(NamespaceReopened())
