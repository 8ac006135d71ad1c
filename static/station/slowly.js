// Time for players who need it. It ends when nobody was there for a while: the next players did not ask for it.

import { goHome } from "./lost.js";

const UNSEEN_MS = 180_000;

/** Watches over the whole station, whatever screen is shown. */
export function slowly() {
  const { classList } = document.documentElement;
  let over;
  const end = () => {
    if (!classList.contains("slow")) return;
    classList.remove("slow");
    if (["ruling", "notice", "idle"].includes(document.body.dataset.screen)) goHome();
  };
  const stir = () => {
    clearTimeout(over);
    over = setTimeout(end, UNSEEN_MS);
  };
  for (const kind of ["keydown", "pointerdown"]) addEventListener(kind, stir, { capture: true });
  addEventListener("click", (event) => {
    const key = event.target.closest?.("[data-slow]");
    if (key) key.setAttribute("aria-pressed", classList.toggle("slow"));
  });
}
