// Rating curves: draws with uPlot what `curves.json` of the page says, for the bots that are chosen.
"use strict";
(() => {
  const panel = document.getElementById("curves");
  const place = document.getElementById("plot");
  if (!panel || !place) return;
  const picks = [...panel.querySelectorAll("input[type=checkbox]")];
  const dashes = [[], [7, 4], [2, 3], [9, 3, 2, 3], [4, 2], [12, 4]];
  const curves = new Map();
  let plot = null;

  function ink(name) {
    const probe = document.createElement("span");
    probe.style.color = `var(${name})`;
    place.append(probe);
    const colour = getComputedStyle(probe).color;
    probe.remove();
    return colour;
  }

  async function draw() {
    const wanted = picks.filter((one) => one.checked).map((one) => Number(one.value));
    const missing = wanted.filter((one) => !curves.has(one));
    if (missing.length || !picks.length) {
      const answer = await fetch(picks.length ? `${panel.dataset.src}?of=${missing.join(",")}` : panel.dataset.src);
      for (const one of (await answer.json()).curves) curves.set(one.entrant, one);
    }
    const chosen = (picks.length ? wanted.map((one) => curves.get(one)) : [...curves.values()]).filter((one) => one?.x.length);
    const joined = uPlot.join(chosen.length ? chosen.map((one) => [one.x, one.y]) : [[[], []]]);
    const axis = { stroke: ink("--ink-3"), grid: { stroke: ink("--line"), width: 1 }, ticks: { show: false }, font: "11px sans-serif" };
    plot?.destroy();
    plot = new uPlot({
      width: place.clientWidth,
      height: 260,
      scales: { x: { time: false } },
      legend: { live: place.clientWidth > 500 },
      cursor: { y: false },
      axes: [{ ...axis, values: (_, ticks) => ticks.map((tick) => (Number.isInteger(tick) ? tick : "")) }, { ...axis, size: 46 }],
      series: [
        { label: panel.dataset.x || "match" },
        ...chosen.map((one, index) => ({
          label: one.bot,
          stroke: ink(`--seat-${index % 5}`),
          dash: dashes[index % dashes.length],
          width: 1.6,
          spanGaps: true,
          points: { show: one.x.length === 1 },
        })),
      ],
    }, joined, place);
  }

  const redraw = () => draw().catch(() => { place.textContent = "The curves could not be loaded."; });
  redraw();
  picks.forEach((one) => one.addEventListener("change", redraw));
  document.addEventListener("theme", redraw);
  let width = place.clientWidth;
  new ResizeObserver(() => {
    if (place.clientWidth !== width) { width = place.clientWidth; redraw(); }
  }).observe(place);
})();
