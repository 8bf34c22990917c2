# SPDX-License-Identifier: BSD-3-Clause
"""Commands and their options."""
