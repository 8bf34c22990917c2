# SPDX-License-Identifier: BSD-3-Clause
"""Clocks, power and temperature of the GPUs, as NVML told them during the run."""
from rowhalo_study.pages.words import Section, Table
from rowhalo_study.results.rows import section

LEAD = ("What the devices did during the run. A clock below the highest, with a reason in the column held down by, makes times "
        "longer than those of another run.")


def throttled(gpu):
    return ", ".join(f"{cause['reason']} {cause['share']:.0%}" for cause in gpu["throttling"])


def number(value, digits=4):
    return "" if value is None else f"{value:.{digits}g}"


def telemetry_section(reports):
    """`reports`: [(detail, report)] of JSON."""
    lines = []
    for detail, report in reports:
        telemetry = section(report, "telemetry")
        energy = [number(telemetry.get(name)) for name in ("energy_per_product_joules", "gflops_per_watt")]
        for gpu in telemetry.get("gpus") or []:
            clock, power = section(gpu, "sm_clock_mhz"), section(gpu, "power_watts")
            lines.append([detail.name, f"{gpu['host']} {gpu['pci_id']}", number(clock.get("min")), number(clock.get("mean")),
                          number(gpu.get("highest_sm_clock_mhz")), number(power.get("mean")),
                          number(power.get("max")), number(gpu.get("power_limit_watts")),
                          number(gpu.get("temperature_celsius"), 3), throttled(gpu), *energy])
        if telemetry and not telemetry.get("gpus") and any(energy):
            lines.append([detail.name, "processors", *[""] * 8, *energy])
    if not lines:
        return []
    heads = ["report", "GPU", "lowest clock, MHz", "mean", "highest", "power, W", "largest", "limit", "temperature, °C",
             "held down by", "J per product", "GF/s per W"]
    return [Section("telemetry", "Telemetry", LEAD, (), (Table(heads, lines),))]
