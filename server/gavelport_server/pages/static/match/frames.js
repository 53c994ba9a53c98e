// Positions out of differences. A change is [key, key, …, value]; what is not changed is shared between positions.

function put(into, path, at, value) {
  if (at === path.length - 1) return value;
  const copy = Array.isArray(into) ? into.slice() : { ...into };
  copy[path[at]] = put(into[path[at]], path, at + 1, value);
  return copy;
}

export function applied(before, difference) {
  let after = before;
  for (const change of difference || []) after = put(after, change, 0, change[change.length - 1]);
  return after;
}

// frames[d - 1] is what stands before decision d; the last one is how the match ended.
export function frames(scene) {
  const found = [{ position: scene.start, now: scene.start_now }];
  for (const step of scene.steps) {
    const { position, now } = found[found.length - 1];
    found.push({ position: applied(position, step.to), now: applied(now, step.now) });
  }
  return found;
}
