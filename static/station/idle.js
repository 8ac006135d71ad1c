// Table and count: the first digit starts, and a count that is complete goes on by itself.

import { isChord, isSlow } from "./page.js";
import { pad, type } from "./pad.js";

/** For so long nobody who asked for time was seen: the next players did not. */
const SLOW_MS = 120_000;

export function idle(body, signal) {
  const form = body.querySelector(".ask");
  const [table, count] = [form.elements.table, form.elements.count];
  const fields = table ? [table, count] : [count];
  let current = fields.includes(document.activeElement) ? document.activeElement : fields[0];

  const needsTable = () => table && !table.value.trim();
  const go = () => (needsTable() ? table.focus() : count.value ? form.requestSubmit() : count.focus());
  for (const field of fields) {
    field.inputMode = "none";
    field.addEventListener("focus", () => ((current = field), field.select()), { signal });
  }
  count.addEventListener("input", () => /^[1-8]$/.test(count.value) && !needsTable() && !isSlow() && go(), { signal });
  pad(body, signal, { field: () => current, next: go });
  // What is to be mended is typed anew.
  current.select();

  const typed = (event) => {
    if (isChord(event) || event.target.closest("button, a, [type=radio]")) return;
    const isDigit = /^\d$/.test(event.key);
    const isField = fields.includes(event.target);
    if (isDigit && !isField) {
      event.preventDefault();
      current.focus();
      type(current, event.key);
    } else if ([" ", ",", "Enter"].includes(event.key) || (event.key === "Tab" && event.target === table && !event.shiftKey)) {
      event.preventDefault();
      if (!event.repeat) go();
    }
  };
  document.addEventListener("keydown", typed, { signal });
  slowMode(body, signal);
}

function slowMode(body, signal) {
  const button = body.querySelector("[data-slow]");
  const root = document.documentElement;
  const say = () => button.setAttribute("aria-pressed", isSlow());
  let over;
  const wait = () => {
    clearTimeout(over);
    over = setTimeout(() => (root.classList.remove("slow"), say()), SLOW_MS);
  };
  button.addEventListener("click", () => (root.classList.toggle("slow"), say()), { signal });
  for (const kind of ["keydown", "pointerdown"]) document.addEventListener(kind, wait, { signal });
  signal.addEventListener("abort", () => clearTimeout(over));
  say();
  wait();
}
