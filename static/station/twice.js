// The second tap of a double tap was meant for what lay there at the first, whatever has come in its place: another screen, a
// key that moved up, what was under a warning.

import { refuse, shownAt } from "./page.js";

const TWICE_MS = 500;
const NEAR_PX = 30;

const keyOf = (element) => element?.closest("button, a, summary, label, input") ?? element;

/** Watches over the whole station. */
export function once() {
  let first = null;
  const tapped = (event) => {
    // Enter and space press a key without a place.
    if (!event.detail) return;
    const { clientX: x, clientY: y } = event;
    const at = performance.now();
    const isAgain = first && at - Math.max(first.at, shownAt()) < TWICE_MS && Math.hypot(x - first.x, y - first.y) < NEAR_PX;
    if (isAgain && keyOf(document.elementFromPoint(first.x, first.y)) !== first.key) {
      first.at = at;
      return refuse(event);
    }
    first = { at, x, y, key: keyOf(event.target) };
  };
  addEventListener("click", tapped, { capture: true });
  addEventListener("keydown", () => (first = null), { capture: true });
}
