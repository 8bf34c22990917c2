# SPDX-License-Identifier: BSD-3-Clause
"""Two results beside each other."""
