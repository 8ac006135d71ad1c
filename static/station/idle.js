// Table and count: the first digit starts, and a count that is complete goes on by itself.

import { hasExtraTime, isChord, typeAhead } from "./page.js";
import { erase, handleScreenKeys, type } from "./screen_keyboard.js";

const COUNT = /^[1-8]$/;

/** The field that was typed into last and whether something was to be mended, for the same screen in another language. */
let last = { field: "", isFaulty: false };

export function idle(body, signal) {
  const form = body.querySelector(".ask");
  const [table, count] = [form.elements.table, form.elements.count];
  const fields = table ? [table, count] : [count];
  const isFaulty = Boolean(body.querySelector(".fault"));
  const isCarriedOn = fields.some((field) => field.value) && !isFaulty;
  let current = fields.find((field) => isCarriedOn && field.name === last.field) ?? fields.find((field) => field === document.activeElement) ?? fields[0];

  const needsTable = () => table && !table.value.trim();
  // From the table always to the count, which may stand there already and is typed anew.
  const go = () => {
    if (needsTable()) table.focus();
    else if (current === table || !count.value) count.focus();
    else form.requestSubmit();
  };
  for (const field of fields) {
    field.inputMode = "none";
    field.addEventListener("focus", () => ((current = field), (last.field = field.name), field.select()), { signal });
  }
  for (const field of fields) field.addEventListener("input", () => readDigits(field), { signal });
  count.addEventListener("input", () => {
    if (count.value && !COUNT.test(count.value)) {
      count.value = "";
      refuse(count);
    } else if (count.value && !needsTable() && !hasExtraTime()) form.requestSubmit();
  }, { signal });
  handleScreenKeys(body, signal, { field: () => current, next: go });
  current.focus();
  // What is to be mended is typed anew; what is not finished goes on.
  if (isCarriedOn && !last.isFaulty) current.setSelectionRange(current.value.length, current.value.length);
  else current.select();
  last = { field: current.name, isFaulty };
  body.querySelector("[data-extra-time]").setAttribute("aria-pressed", hasExtraTime());

  const typed = (event) => {
    if (isChord(event)) return;
    const { key, target, shiftKey, repeat } = event;
    if (body.dataset.sent) {
      event.preventDefault();
      if (!repeat) typeAhead.push(key);
      return;
    }
    const isOn = (css) => target.closest(css);
    // A word is typed on the next screen.
    if (/^\p{L}$/u.test(key) && !isOn("button, a, summary")) {
      event.preventDefault();
      refuse(needsTable() ? table : current);
    } else if (/^\d$/.test(key)) {
      if (fields.includes(target)) return;
      event.preventDefault();
      current.focus();
      if (!repeat) type(current, key);
    } else if ((["Enter", " ", ","].includes(key) && !isOn("button, a, summary, [type=radio]")) || (key === "Tab" && target === table && !shiftKey)) {
      event.preventDefault();
      if (!repeat) go();
    }
  };
  document.addEventListener("keydown", typed, { signal });
  for (const key of typeAhead.splice(0)) {
    if (body.dataset.sent) typeAhead.push(key);
    else if (/^\d$/.test(key)) type(current, key);
    else if (key === "Backspace") erase(current);
    else if (["Tab", "Enter", " ", ","].includes(key)) go();
  }
}

/** Keeps the digits of what came from a keyboard of the tablet's own, and takes back what was refused before. */
function readDigits(field) {
  field.value = field.value.replace(/\D+/g, "");
  field.removeAttribute("aria-invalid");
  field.parentElement.querySelector(".fault")?.remove();
}

/** Says at once what a field takes. */
function refuse(field) {
  const id = `${field.name}-fault`;
  const fault = document.getElementById(id) ?? document.createElement("p");
  Object.assign(fault, { id, className: "fault", role: "alert", textContent: field.dataset.refusal });
  field.after(fault);
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", id);
  field.focus();
}
