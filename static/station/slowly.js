// Time for players who need it, and the language they chose. Both end when nobody was there for a while: the next players
// did not ask for them.

import { goHome } from "./lost.js";
import { load } from "./page.js";

const UNSEEN_MS = 180_000;

/** Watches over the whole station, whatever screen is shown. */
export function slowly() {
  const { classList, dataset } = document.documentElement;
  let over;
  const end = () => {
    const isForeign = document.documentElement.lang !== dataset.own;
    if (!isForeign && !classList.contains("slow")) return;
    classList.remove("slow");
    const { body } = document;
    if (!["ruling", "notice", "idle"].includes(body.dataset.screen) || body.dataset.sent) return;
    if (isForeign) load("/station/language", new URLSearchParams()).catch(goHome);
    else goHome();
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
