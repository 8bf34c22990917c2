# SPDX-License-Identifier: BSD-3-Clause
"""A study: its file, its folder, its points and their states."""
