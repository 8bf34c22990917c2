# SPDX-License-Identifier: BSD-3-Clause
"""Slurm, PBS and this machine: sites, scripts, jobs."""
