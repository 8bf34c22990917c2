# SPDX-License-Identifier: BSD-3-Clause
"""Official results: problem sets, rating, verdict, bundles."""
