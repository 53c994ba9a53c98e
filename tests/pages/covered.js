// Returns which ships on the map are covered by others, or do not lie on it.
() => {
  const ships = [...document.querySelectorAll(".map .vessel")].map((one) => [one.dataset.ship, one.getBoundingClientRect()]);
  const frame = document.querySelector(".map").getBoundingClientRect();
  const common = (one, two, low, high) => Math.min(one[high], two[high]) - Math.max(one[low], two[low]) > 1;
  const off = ships.filter(([, one]) => one.left < frame.left || one.right > frame.right || one.top < frame.top || one.bottom > frame.bottom);
  const found = off.map(([name]) => `${name} is off the map`);
  ships.forEach(([name, one], place) => {
    for (const [other, two] of ships.slice(place + 1)) if (common(one, two, "left", "right") && common(one, two, "top", "bottom")) found.push(`${name} and ${other}`);
  });
  return found;
}
