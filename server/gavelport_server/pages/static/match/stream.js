// What a page is told as it happens: server-sent events, with the state of the connection in words.

export function watch(address, badge, hear) {
  const source = new EventSource(address);
  const say = (state) => {
    badge.textContent = badge.dataset[state];
    badge.dataset.state = state;
  };
  source.onopen = () => say("on");
  source.onerror = () => say(source.readyState === EventSource.CLOSED ? "full" : "off");
  for (const [name, act] of Object.entries(hear)) source.addEventListener(name, (event) => act(event.data));
  return {
    close(state) {
      source.close();
      say(state);
    },
  };
}
