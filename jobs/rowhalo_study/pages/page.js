// SPDX-License-Identifier: BSD-3-Clause
// Draws the charts of the page and keeps of them what the selectors choose. Everything that is shown was
// computed by rowhalo-study report; see figures.py for what `meta` of a trace says.
"use strict";
(function () {
  const model = JSON.parse(document.getElementById("model").textContent);
  const form = document.getElementById("selectors");
  const config = {  // these buttons and no others: some of Plotly's would send data away
    responsive: true, displaylogo: false, displayModeBar: "hover",
    modeBarButtons: [["toImage", "zoom2d", "pan2d", "resetScale2d"]]
  };
  const PER_POINT = ["x", "y", "text", "hovertext"];

  function chosen() {
    const choice = {};
    for (const field of form ? form.querySelectorAll("select") : []) {
      if (field.value !== "") choice[field.dataset.key] = field.value;
    }
    return choice;
  }

  // A value matches if nothing is chosen, or if it is nobody's.
  function matches(value, wanted) {
    return value === null || value === undefined || String(value) === wanted;
  }

  function keeps(meta, choice, point) {
    return Object.entries(choice).every(function ([key, wanted]) {
      if (meta.guide && key !== "matrix") return true;
      const value = Array.isArray(meta[key]) ? meta[key][point] : meta[key];
      return matches(value, wanted);
    });
  }

  function picked(values, places) {
    return Array.isArray(values) ? places.map((place) => values[place]) : values;
  }

  // The trace with its chosen points only; null where none is left.
  function filtered(trace, choice) {
    const meta = trace.meta;
    if (!meta) return trace;
    const special = choice.format !== undefined || choice.transport !== undefined;
    if ((meta.only === "all" && special) || (meta.only === "chosen" && !special)) return null;
    if (trace.type === "heatmap") return keeps(meta, choice, 0) ? trace : null;
    const places = trace.x.map((_, place) => place).filter((place) => keeps(meta, choice, place));
    if (places.length === 0) return null;
    const copy = Object.assign({}, trace);
    for (const name of PER_POINT) copy[name] = picked(trace[name], places);
    for (const name of ["error_x", "error_y"]) {
      if (trace[name]) {
        copy[name] = Object.assign({}, trace[name], {
          array: picked(trace[name].array, places), arrayminus: picked(trace[name].arrayminus, places)
        });
      }
    }
    if (trace.marker) {
      copy.marker = Object.assign({}, trace.marker, {
        color: picked(trace.marker.color, places), symbol: picked(trace.marker.symbol, places)
      });
    }
    return copy;
  }

  function isData(trace) {
    return !trace.meta ? trace.hoverinfo !== "skip" : !trace.meta.guide;
  }

  // What all charts share; the width is that of the chart's place. `top` is the end of the vertical axis
  // while nothing is chosen: one disturbed point must not flatten the rest.
  function layoutOf(chart, isWhole) {
    const layout = Object.assign({
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", autosize: true,
      font: { family: getComputedStyle(document.body).fontFamily, size: 12, color: "#1b2733" },
      modebar: { bgcolor: "rgba(255,255,255,0.85)", color: "#8894a0", activecolor: "#1f4e79" },
      hoverlabel: { align: "left", bgcolor: "#ffffff", bordercolor: "#6b7683", font: { color: "#1b2733" } }
    }, JSON.parse(JSON.stringify(chart.layout)));
    if (isWhole && chart.top) layout.yaxis.range = [0, chart.top];
    if (isWhole && chart.ticks.length) {
      layout.yaxis.tickvals = chart.ticks;
      layout.yaxis.ticktext = chart.ticks.map(String);
    }
    return layout;
  }

  function drawChart(chart, index, choice) {
    const place = document.getElementById("chart" + index);
    const traces = chart.traces.map((trace) => filtered(trace, choice)).filter(Boolean);
    const shown = traces.some(isData);
    place.parentElement.hidden = !shown;
    if (!shown) return;
    const isNew = !place.classList.contains("js-plotly-plot");
    Plotly.react(place, JSON.parse(JSON.stringify(traces)), layoutOf(chart, Object.keys(choice).length === 0), config);
    if (isNew) place.on("plotly_afterplot", () => makeScalable(place));
    makeScalable(place);
  }

  // With a viewBox the style sheet can fit the drawing to the paper, where no script measures widths.
  function makeScalable(place) {
    for (const svg of place.querySelectorAll(".main-svg")) {
      const [width, height] = ["width", "height"].map((name) => parseFloat(svg.getAttribute(name)));
      svg.setAttribute("viewBox", "0 0 " + width + " " + height);
      place.style.setProperty("--ratio", width / height);
    }
  }

  function drawAll() {
    const choice = chosen();
    model.charts.forEach((chart, index) => drawChart(chart, index, choice));
    for (const row of document.querySelectorAll("tr[data-meta]")) {
      row.hidden = !keeps(JSON.parse(row.dataset.meta), choice, 0);
    }
    for (const section of document.querySelectorAll("section.charts")) {
      const figures = Array.from(section.querySelectorAll("figure"));
      section.querySelector(".none").hidden = figures.length === 0 || figures.some((one) => !one.hidden);
    }
  }

  function unfold() {  // paper cannot be clicked; the table of all results stays folded
    for (const one of document.querySelectorAll("#reproduce details")) one.open = true;
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
    form.addEventListener("change", drawAll);
    form.addEventListener("reset", () => setTimeout(drawAll, 0));
  }
  window.addEventListener("beforeprint", unfold);
  drawAll();
  document.documentElement.dataset.ready = "yes";  // for tests
})();
