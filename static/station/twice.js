// The second tap of a double tap was meant for the screen before, whatever lies there now.

const TWICE_MS = 500;
const NEAR_PX = 30;

/** Watches over the whole station. */
export function once() {
  const none = { at: -Infinity, x: 0, y: 0, body: null };
  let last = none;
  const tapped = (event) => {
    // Enter and space press a key without a place.
    if (!event.detail) return;
    const now = { at: performance.now(), x: event.clientX, y: event.clientY, body: document.body };
    const isSecond = last.body !== now.body && now.at - last.at < TWICE_MS && Math.hypot(now.x - last.x, now.y - last.y) < NEAR_PX;
    last = now;
    if (!isSecond) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  addEventListener("click", tapped, { capture: true });
  addEventListener("keydown", () => (last = none), { capture: true });
}
