// Light or dark: as the system says, or as chosen here. Runs before the first paint.
"use strict";
(() => {
  const root = document.documentElement;
  const kept = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const chosen = kept();
  if (chosen === "dark" || chosen === "light") root.dataset.theme = chosen;
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
  const tell = () => document.dispatchEvent(new CustomEvent("theme"));
  dark.addEventListener("change", tell);
  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    button.hidden = false;
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      try { localStorage.setItem("theme", root.dataset.theme); } catch { /* for this page only, then */ }
      tell();
    });
  });
})();
