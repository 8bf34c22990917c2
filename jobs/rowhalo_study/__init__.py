# SPDX-License-Identifier: BSD-3-Clause
"""Studies with rowhalo: plans, submits and evaluates series of measurements. The command is rowhalo-study."""
__version__ = "1.0.0"
