// A key that prints the page; without this script the browser's own menu does it.
const key = document.getElementById("print");
if (key) {
  key.hidden = false;
  key.addEventListener("click", () => print());
}
