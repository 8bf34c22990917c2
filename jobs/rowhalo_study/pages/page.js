// SPDX-License-Identifier: BSD-3-Clause
// Keeps of the tables what the selectors choose, and hands out the CSV. Everything that is shown was computed by
// rowhalo-study report.
"use strict";
(function () {
  const model = JSON.parse(document.getElementById("model").textContent);
  const form = document.getElementById("selectors");

  function keep() {
    const fields = Array.from(form.querySelectorAll("select")).filter((field) => field.value !== "");
    for (const row of document.querySelectorAll("tr[data-meta]")) {
      const meta = JSON.parse(row.dataset.meta);
      row.hidden = !fields.every((field) => {  // a line that has no value there belongs to every choice
        const value = meta[field.dataset.key];
        return value === null || value === undefined || String(value) === field.value;
      });
    }
  }

  function download() {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([model.csv], { type: "text/csv" }));
    link.download = model.csvName;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  document.getElementById("download").addEventListener("click", download);
  if (form) {
    form.addEventListener("change", keep);
    form.addEventListener("reset", () => setTimeout(keep, 0));
  }
  window.addEventListener("beforeprint", () => {  // paper cannot be clicked; the table of all results stays folded
    for (const one of document.querySelectorAll("#reproduce details")) one.open = true;
  });
  document.documentElement.dataset.ready = "yes";  // for tests
})();
