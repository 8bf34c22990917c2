# SPDX-License-Identifier: BSD-3-Clause
"""Headless Chromium for the tests of rowhalo-study report: a page with a probe inside, pictures and print.

The probe runs in a copy of the page, under the page's own Content-Security-Policy. It records errors,
warnings, refused and completed loads from the first line on, works the selectors, the hover boxes and the
download, and leaves what it saw as JSON in the document.
"""
import html
import json
import re
import shutil
import subprocess
import tempfile

from results import launch

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--no-first-run", "--virtual-time-budget=30000")
WATCH = """<script>
window.seen = {errors: [], charts: [], choices: {}, hovers: [], loads: [], overflow: 0};
for (const name of ["error", "unhandledrejection", "securitypolicyviolation"]) {
  addEventListener(name, (event) => seen.errors.push(name + ": " + (event.message || event.reason ||
    event.blockedURI || event.target)), true);
}
for (const name of ["error", "warn"]) console[name] = (...words) => seen.errors.push(name + ": " + words.join(" "));
</script>"""
PROBE = """<script>
(async function () {
  const all = (what, root) => Array.from((root || document).querySelectorAll(what));
  const drawn = () => all("figure").filter((one) => !one.hidden);
  const points = (root) => all(".point, .hm image", root).length;
  await new Promise((done) => setTimeout(done, 200));
  seen.ready = document.documentElement.dataset.ready;
  for (const figure of drawn()) {
    const box = figure.getBoundingClientRect();
    const svg = figure.querySelector(".main-svg");
    const legend = figure.querySelector(".legend");
    const rim = legend ? legend.getBoundingClientRect() : box;
    seen.charts.push({title: figure.querySelector("figcaption").textContent, svg: Boolean(svg),
      points: points(figure), inside: rim.bottom <= box.bottom + 1 && rim.right <= box.right + 1});
    const place = figure.querySelector(".js-plotly-plot");
    const curve = place.data.findIndex((trace) => trace.hoverinfo !== "skip");
    Plotly.Fx.hover(place, place.data[curve].type === "heatmap" ? {xval: 1, yval: 0}
      : [{curveNumber: curve, pointNumber: 0}]);
    seen.hovers.push(all(".hoverlayer .hovertext", place).map((one) => one.textContent).join(" "));
    Plotly.Fx.unhover(place);
  }
  const form = document.getElementById("selectors");
  for (const field of form ? all("select", form) : []) {
    seen.choices[field.dataset.key] = {};
    // All, the first and the last: every choice draws all charts.
    const options = Array.from(field.options).map((one) => one.value);
    for (const option of [options[0], options[1], options[options.length - 1]]) {
      field.value = option;
      form.dispatchEvent(new Event("change"));
      seen.choices[field.dataset.key][option] = [drawn().length,
        drawn().reduce((sum, figure) => sum + points(figure), 0),
        all("#data tbody tr").filter((row) => !row.hidden).length];
    }
    form.reset();
    await new Promise((done) => setTimeout(done, 50));
  }
  URL.createObjectURL = (blob) => { seen.blob = blob; return "#"; };
  HTMLAnchorElement.prototype.click = function () { seen.download = this.download; };
  document.getElementById("download").click();
  seen.csv = await seen.blob.text();
  delete seen.blob;
  seen.loads = performance.getEntriesByType("resource").map((entry) => entry.name);
  seen.overflow = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  const place = document.createElement("pre");
  place.id = "probe";
  place.textContent = JSON.stringify(seen);
  document.body.append(place);
})();
</script>"""


def executable():
    return next((path for path in map(shutil.which, NAMES) if path), None)


def chromium(page, *options):
    """stdout and stderr of a run on a page, which must succeed."""
    with tempfile.TemporaryDirectory() as profile:
        made = subprocess.run([executable(), *FLAGS, f"--user-data-dir={profile}", *options, page.resolve().as_uri()],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False, timeout=launch.PATIENCE)
    if made.returncode != 0:
        raise AssertionError(f"chromium: exit status {made.returncode}\n{made.stderr}")
    return made.stdout


def probed(page, width):
    """What the probe saw in a window of that width."""
    text = page.read_text(encoding="utf-8")
    copy = page.with_name(f"probed-{width}-{page.name}")
    start, end = text.index("<style>"), text.rindex("</body>")
    copy.write_text(text[:start] + WATCH + text[start:end] + PROBE + text[end:], encoding="utf-8")
    dom = chromium(copy, f"--window-size={width},900", "--dump-dom")
    found = re.search(r'<pre id="probe">(.*?)</pre>', dom, re.DOTALL)
    if not found:
        raise AssertionError(f"{page}: the probe did not come to its end")
    return json.loads(html.unescape(found[1]))


def picture(page, target, width, height):
    chromium(page, f"--window-size={width},{height}", f"--screenshot={target}")
    return target


def printed(page, target):
    """The page as PDF."""
    chromium(page, "--window-size=1400,900", f"--print-to-pdf={target}", "--no-pdf-header-footer")
    return target
