# SPDX-License-Identifier: BSD-3-Clause
"""Matrices of the SuiteSparse collection."""
