// Time for players who need it, and the language they chose. Both end when nobody was there for a while: the next players
// did not ask for them.

import { goHome, isPending } from "./connection.js";
import { load } from "./page.js";

const UNSEEN_MS = 180_000;

/** What is still on its way is not left for that; it is looked again. */
const LATER_MS = 2000;

/** Watches over the whole station, whatever screen is shown. */
export function watchExtraTime() {
  const root = document.documentElement;
  let over;
  const onActivity = (event, wait = UNSEEN_MS) => {
    clearTimeout(over);
    over = setTimeout(end, wait);
  };
  const end = () => {
    const { screen, sent } = document.body.dataset;
    const isForeign = root.lang !== root.dataset.own;
    if (!isForeign && !root.classList.contains("extra-time-on")) return;
    if (!["ruling", "notice", "idle"].includes(screen) || sent || isPending()) return onActivity(null, LATER_MS);
    root.classList.remove("extra-time-on");
    if (isForeign) giveUp();
    else goHome();
  };
  // Nobody begins a slip meanwhile, which would then be ruled on in another language.
  const giveUp = async () => {
    const { dataset } = document.body;
    dataset.sent = "yes";
    try {
      await load("/station/language", new URLSearchParams());
    } catch {
      delete dataset.sent;
      onActivity(null, LATER_MS);
    }
  };
  for (const kind of ["keydown", "pointerdown"]) addEventListener(kind, onActivity, { capture: true });
  addEventListener("click", (event) => {
    const key = event.target.closest?.("[data-extra-time]");
    if (key) key.setAttribute("aria-pressed", root.classList.toggle("extra-time-on"));
  });
  // The language may be older than this page.
  onActivity();
}
