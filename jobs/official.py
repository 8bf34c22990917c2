#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
from rowhalo_study.cli.main import old

old(__file__)
