# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# Faults that planted.sh plants in choices by trial and by prediction

fault "times alone decide on a busy machine" miniapp/tune/paired_timing.cpp \
  'load_ratio = 2' \
  'load_ratio = 1' \
  test_options
fault "shortest times never decide" miniapp/tune/paired_timing.cpp \
  'clearly_shorter = 1.04' \
  'clearly_shorter = 1e9' \
  test_options
fault "trials of transports never end" miniapp/tune/transport_trials.cpp \
  'best_ && !budget_.allows(' \
  'false && !budget_.allows(' \
  test_miniapp
fault "sums are taken whatever they save" miniapp/tune/sums_choice.cpp \
  'left <= costs.most_left * all && without - with > least;' \
  'without - with > least;' \
  test_miniapp_n2
fault "CPUs send sums as readily as GPUs" miniapp/tune/sums_choice.cpp \
  'site.device == Device::gpu ? gpu_costs : cpu_costs;' \
  'gpu_costs;' \
  test_miniapp_n2
fault "nonzeros of sums cost nothing more" miniapp/tune/sums_choice.cpp \
  'constexpr SumCosts cpu_costs{0.1, 5e-6, 6};' \
  'constexpr SumCosts cpu_costs{0.1, 5e-6, 0};' \
  test_miniapp_n2
