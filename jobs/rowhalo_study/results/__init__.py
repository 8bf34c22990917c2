# SPDX-License-Identifier: BSD-3-Clause
"""Reports of the program, the table of results, statistics."""
