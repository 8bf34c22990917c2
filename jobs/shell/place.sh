#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# One line on where this rank runs: rank R on HOST cores LIST GPU ID. The GPU is the one that the
# program takes: by the rank within the node, among those that it sees. Started by the launcher,
# without MPI; the variables are those of miniapp/process/environment.cpp.
rank=${OMPI_COMM_WORLD_RANK:-${PMIX_RANK:-${PMI_RANK:-${PALS_RANKID:-${SLURM_PROCID:-0}}}}}
local_rank=${OMPI_COMM_WORLD_LOCAL_RANK:-${MPI_LOCALRANKID:-${PMI_LOCAL_RANK:-}}}
local_rank=${local_rank:-${PALS_LOCAL_RANKID:-${SLURM_LOCALID:-0}}}
cores=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
if [ -n "${CUDA_VISIBLE_DEVICES:-}" ]; then
  IFS=, read -r -a gpus <<<"$CUDA_VISIBLE_DEVICES"
else
  mapfile -t gpus < <(nvidia-smi --query-gpu=index --format=csv,noheader 2>/dev/null)
fi
gpu=none
if [ "${#gpus[@]}" -gt 0 ]; then
  gpu=${gpus[local_rank % ${#gpus[@]}]}
  bus=$(nvidia-smi -i "$gpu" --query-gpu=pci.bus_id --format=csv,noheader 2>/dev/null) &&
    gpu="$gpu ($bus)"
fi
echo "rank $rank on ${SLURMD_NODENAME:-$(hostname)} cores $cores GPU $gpu"
