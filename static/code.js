// A code that came in the address's fragment, which no server sees and no log keeps: put it into its field, and take it
// out of the address and the history.
const field = document.getElementById("code");
const code = decodeURIComponent(location.hash.slice(1));
if (field && code) {
  field.value = code;
  history.replaceState(null, "", location.pathname);
  [...field.form.elements].find((one) => !one.value || one.matches("button")).focus();
}
