# SPDX-License-Identifier: BSD-3-Clause
"""Sphinx over the folder that docs/generate.py has filled: the pages of docs/, and those made of schemas, help texts and READMEs."""

import os
import sys
from pathlib import Path

root = Path(os.environ["CONOID_SOURCE"])
sys.path.insert(0, str(root / "python"))

project = "Conoid"
copyright = "the Conoid authors, BSD-3-Clause"  # noqa: A001
release = version = os.environ["CONOID_VERSION"]
extensions = ["myst_parser", "sphinx.ext.autodoc"]
source_suffix = {".md": "markdown"}
exclude_patterns: list[str] = []
master_doc = "index"
myst_enable_extensions = ["deflist", "colon_fence"]
myst_heading_anchors = 3
highlight_language = "none"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
html_theme = "sphinx_rtd_theme"
html_theme_options = {"navigation_depth": 3, "collapse_navigation": False}
html_show_sourcelink = False
html_copy_source = False
html_show_sphinx = False
html_static_path: list[str] = ["_static"]
html_css_files = ["conoid.css"]
