// A press is one pointer that goes down and comes up on one control. Each pointer counts for itself: the browser makes no
// click of two fingers whose taps overlap, nor of a finger that slides. A key that types acts as the pointer goes down, which
// keeps the order of the letters; every other control acts as the pointer comes up.

import { cancel, shownAt } from "./page.js";

const DOUBLE_TAP_MS = 500;
const DOUBLE_TAP_PX = 30;

/** The same key sooner than this after it led to another screen is the second press of a double press. */
const DOUBLE_KEY_MS = 300;

/** The browser's own click comes sooner than this after its pointer. */
const CLICK_MS = 1000;

const controlOf = (element) => element?.closest?.("button, a, summary, label");

/** What lies at a place: a control as a whole. */
function targetAt(x, y) {
  const element = document.elementFromPoint(x, y);
  return controlOf(element) ?? element;
}

/** Acts on the pointers of the whole station. */
export function handlePresses() {
  const pressed = new Map();
  let last = null;
  let clicksUntil = 0;

  // The second tap of a double tap is meant for what lay there at the first, whatever came in its place: another screen, or a
  // control that moved.
  const isSecondTap = ({ clientX: x, clientY: y }) => {
    if (!last || performance.now() - Math.max(last.at, shownAt()) >= DOUBLE_TAP_MS) return false;
    return Math.hypot(x - last.x, y - last.y) < DOUBLE_TAP_PX && targetAt(last.x, last.y) !== last.target;
  };
  const press = (control, { clientX: x, clientY: y }) => {
    last = { at: performance.now(), x, y, target: control };
    if (controlOf(control)) control.click();
  };
  const begin = (event) => {
    if (event.button !== 0) return;
    clicksUntil = Infinity;
    const control = controlOf(event.target) ?? event.target;
    if (isSecondTap(event)) last.at = performance.now();
    else if (control.matches?.("[data-letter], [data-erase]")) press(control, event);
    else pressed.set(event.pointerId, control);
  };
  const end = (event) => {
    const { clientX: x, clientY: y, pointerId } = event;
    clicksUntil = performance.now() + CLICK_MS;
    const control = pressed.get(pointerId);
    pressed.delete(pointerId);
    if (event.type === "pointerup" && control?.isConnected && targetAt(x, y) === control) press(control, event);
  };
  // Enter, space and screen readers click without a pointer.
  const clicked = (event) => {
    const isOfPointer = event.isTrusted && event.detail && performance.now() < clicksUntil;
    if (isOfPointer && controlOf(event.target)) cancel(event);
  };
  addEventListener("pointerdown", begin, { capture: true });
  addEventListener("pointerup", end, { capture: true });
  addEventListener("pointercancel", end, { capture: true });
  addEventListener("click", clicked, { capture: true });
  addEventListener("keydown", () => (last = null), { capture: true });
}

/** Refuses the second press of a key that was pressed twice, where the first led to another screen. */
export function ignoreDoubleKeys() {
  let last = { key: "", at: 0, isLate: true };
  const typed = (event) => {
    const { key, repeat } = event;
    if (repeat) return;
    const [at, isLate] = [performance.now(), Boolean(document.body.dataset.sent)];
    const isAgain = key === last.key && at - last.at < DOUBLE_KEY_MS;
    const hasLed = !last.isLate && (isLate || shownAt() > last.at);
    last = { key, at, isLate };
    if (isAgain && hasLed) cancel(event);
  };
  addEventListener("keydown", typed, { capture: true });
}
