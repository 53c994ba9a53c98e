// Elements made without markup: text is text, so that no name can be anything else; styles go by CSSOM, as the policy asks.

const SVG = "http://www.w3.org/2000/svg";

function made(element, given, children) {
  for (const [key, value] of Object.entries(given || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "style") for (const [name, one] of Object.entries(value)) element.style.setProperty(name, one);
    else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat(4).filter((one) => one !== null && one !== undefined && one !== false));
  return element;
}

export const h = (tag, given, ...children) => made(document.createElement(tag), given, children);
export const s = (tag, given, ...children) => made(document.createElementNS(SVG, tag), given, children);

export const seat = (number) => h("span", { class: `seat k${number}`, role: "img", "aria-label": `seat ${number}` }, String(number));

const SHAPES = {
  auction: "M7 0l7 7-7 7-7-7z",
  fault: "M7 1l7 12H0z",
  seizure: "M1 1h12v12H1z",
  news: "M2 2h10v10H2zM4 5h6M4 8h6",
  first: "M1 1h2v12H1zM13 1v12L4 7z",
  previous: "M11 1v12L3 7z",
  play: "M3 1l10 6-10 6z",
  pause: "M3 1h3v12H3zM8 1h3v12H8z",
  next: "M3 1v12l8-6z",
  back: "M7 1v12L0 7zM14 1v12L7 7z",
  on: "M0 1v12l7-6zM7 1v12l7-6z",
  last: "M11 1h2v12h-2zM1 1v12l9-6z",
  verified: "M1.500 7.500l1.600-1.600 2.600 2.600 5.600-6 1.600 1.500-7.100 7.600z",
};
SHAPES.tie = SHAPES.order = SHAPES.auction;

export const icon = (name) => s("svg", { viewBox: "0 0 14 14", "aria-hidden": "true" }, s("path", { d: SHAPES[name] }));

export const minus = (number) => String(number).replace("-", "−");
export const signed = (number) => (number > 0 ? `+${number}` : minus(number));

// An amount in the game's unit: dollars, or millions of them.
export const dollars = (number) => (number < 0 ? `−$${-number}` : `$${number}`);
export const signedDollars = (number) => (number < 0 ? `−$${-number}` : `+$${number}`);
export const reduced = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
