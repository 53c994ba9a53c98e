// A tournament that is being played: now and then the page is asked for anew, and what may have changed is put in.
"use strict";
(() => {
  const EVERY_MS = 10000;
  const PARTS = ["facts", "progress", "blocks", "standings", "latest"];
  const isPlayed = (page) => page.getElementById("progress")?.hasAttribute("data-running");

  async function renew() {
    if (!document.hidden) {
      const answer = await fetch(location.href).catch(() => null);
      if (answer?.ok) {
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        for (const part of PARTS) {
          const there = page.getElementById(part);
          const here = document.getElementById(part);
          if (there && !here) { location.reload(); return; } // the first results are in: there is more to show
          if (there) here.replaceWith(there);
        }
      }
    }
    if (isPlayed(document)) setTimeout(renew, EVERY_MS);
  }

  if (isPlayed(document)) setTimeout(renew, EVERY_MS);
})();
