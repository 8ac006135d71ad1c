// Keys on the screen: they type into the field that has the focus, and take it from nobody.

/** Types at the end of a field, as a keyboard would. */
export function type(field, text) {
  field.value += text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Takes the last character away. */
export function erase(field) {
  field.value = [...field.value].slice(0, -1).join("");
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Serves the keys of a screen. `field` says where they type, `next` is what follows upon a word or number. */
export function handleScreenKeys(body, signal, { field, next }) {
  const keyOf = (event) => event.target.closest("[data-letter], [data-erase], [data-next]");
  const keepFocus = (event) => keyOf(event) && event.preventDefault();
  const pressed = (event) => {
    const key = keyOf(event);
    if (!key) return;
    event.preventDefault();
    // Another screen is on its way, and would not have it.
    if (body.dataset.sent) return;
    const typed = field();
    typed.focus();
    if (key.dataset.letter) type(typed, key.dataset.letter);
    else if ("erase" in key.dataset) erase(typed);
    else next(typed);
  };
  body.addEventListener("pointerdown", keepFocus, { signal });
  body.addEventListener("mousedown", keepFocus, { signal });
  body.addEventListener("click", pressed, { signal });
}
