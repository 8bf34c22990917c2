# SPDX-License-Identifier: BSD-3-Clause
"""Headless Chromium for the tests of rowhalo-study report: a page with a probe inside, pictures and print.

The probe runs in a copy of the page, under the page's own Content-Security-Policy. It records errors,
warnings, refused and completed loads from the first line on, works the selectors, the keyboard and the
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
window.seen = {errors: [], pictures: [], choices: {}, focus: [], loads: [], overflow: 0};
for (const name of ["error", "unhandledrejection", "securitypolicyviolation"]) {
  addEventListener(name, (event) => seen.errors.push(name + ": " + (event.message || event.reason ||
    event.blockedURI || event.target)), true);
}
for (const name of ["error", "warn"]) console[name] = (...words) => seen.errors.push(name + ": " + words.join(" "));
</script>"""
PROBE = """<script>
(async function () {
  const all = (what, root) => Array.from((root || document).querySelectorAll(what));
  const lines = () => all("#data tbody tr").filter((row) => !row.hidden).length;
  await new Promise((done) => setTimeout(done, 200));
  seen.ready = document.documentElement.dataset.ready;
  for (const image of all("img")) seen.pictures.push({alt: image.alt, width: image.complete ? image.naturalWidth : 0});
  // What the tabulator key reaches, in order.
  for (const one of all("a, select, button, summary, [tabindex]")) {
    one.focus();
    if (document.activeElement === one) seen.focus.push(one.id || one.className || one.tagName);
  }
  const form = document.getElementById("selectors");
  seen.before = lines();
  for (const field of form ? all("select", form) : []) {
    seen.choices[field.dataset.key] = {};
    for (const option of Array.from(field.options).map((one) => one.value)) {
      field.value = option;
      form.dispatchEvent(new Event("change"));
      seen.choices[field.dataset.key][option] = lines();
    }
    form.reset();
    await new Promise((done) => setTimeout(done, 50));
  }
  seen.after = lines();
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
