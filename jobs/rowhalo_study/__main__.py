# SPDX-License-Identifier: BSD-3-Clause
"""python3 -m rowhalo_study COMMAND: as rowhalo-study COMMAND."""
from rowhalo_study.cli.main import start

start()
