# SPDX-License-Identifier: BSD-3-Clause
"""One page of HTML for a result."""
