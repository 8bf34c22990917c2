# SPDX-License-Identifier: BSD-3-Clause
import sys

sys.path.insert(1, __file__.rpartition("/classes/")[0])
from rowhalo_study.cli.main import old  # noqa: E402

old(__file__)
