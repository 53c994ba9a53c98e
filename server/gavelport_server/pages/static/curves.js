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
  let band = null;
  let marks = [];

  function ink(name) {
    const probe = document.createElement("span");
    probe.style.color = `var(${name})`;
    place.append(probe);
    const colour = getComputedStyle(probe).color;
    probe.remove();
    return colour;
  }

  // Behind the curves: the interval of the fit, and from where on which version plays.
  function drawBehind({ ctx, bbox, valToPos }) {
    const dot = devicePixelRatio;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    if (band) {
      const [bottom, top] = band.map((elo) => valToPos(elo, "y", true));
      ctx.globalAlpha = 0.16;
      ctx.fillStyle = ink("--link");
      ctx.fillRect(bbox.left, top, bbox.width, Math.max(dot, bottom - top));
      ctx.globalAlpha = 1;
    }
    ctx.strokeStyle = ink("--line-2");
    ctx.fillStyle = ink("--ink-2");
    ctx.font = `${11 * dot}px sans-serif`;
    ctx.lineWidth = dot;
    ctx.setLineDash([3 * dot, 3 * dot]);
    let free = bbox.left;
    for (const mark of marks) {
      const x = valToPos(mark.at, "x", true);
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      if (x < free) continue;
      const text = mark.text.length > 12 ? `${mark.text.slice(0, 11)}…` : mark.text;
      ctx.fillText(text, x + 4 * dot, bbox.top + 12 * dot);
      free = x + 8 * dot + ctx.measureText(text).width;
    }
    ctx.restore();
  }

  async function draw() {
    const wanted = picks.filter((one) => one.checked).map((one) => Number(one.value));
    const missing = wanted.filter((one) => !curves.has(one));
    if (missing.length || !picks.length) {
      const answer = await fetch(picks.length ? `${panel.dataset.src}?of=${missing.join(",")}` : panel.dataset.src);
      const told = await answer.json();
      for (const one of told.curves) curves.set(one.entrant, one);
      ({ band = null, marks = [] } = told);
    }
    const chosen = (picks.length ? wanted.map((one) => curves.get(one)) : [...curves.values()]).filter((one) => one?.x.length);
    const joined = uPlot.join(chosen.length ? chosen.map((one) => [one.x, one.y]) : [[[], []]]);
    const axis = { stroke: ink("--ink-3"), grid: { stroke: ink("--line"), width: 1 }, ticks: { show: false }, font: "11px sans-serif" };
    const atRest = (drawn) => drawn.root.classList.toggle("at-rest", drawn.cursor.idx == null);
    plot?.destroy();
    plot = new uPlot({
      width: place.clientWidth,
      height: 260,
      scales: { x: { time: false } },
      legend: { live: place.clientWidth > 500 },
      cursor: { y: false },
      hooks: { drawClear: [drawBehind], ready: [atRest], setLegend: [atRest] },
      axes: [{ ...axis, size: 32, values: (_, ticks) => ticks.map((tick) => (Number.isInteger(tick) ? tick : "")) }, { ...axis, size: 46 }],
      series: [
        { label: panel.dataset.x || "match" },
        ...chosen.map((one, index) => ({
          label: one.bot,
          value: (_, elo) => (elo == null ? "" : String(Math.round(elo))),
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
