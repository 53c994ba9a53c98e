// The list of running matches: the server sends it anew whenever it has changed.

import { watch } from "./match/stream.js";

const list = document.getElementById("running");

watch(list.dataset.stream, document.getElementById("state"), {
  running(text) {
    const focused = list.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    list.innerHTML = text;
    if (focused) list.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
  },
});
