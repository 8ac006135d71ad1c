// How typed text falls into tiles: the longest at each place, or what is marked, [CH]. Only for the eye: what is judged is
// what the server read, and shows the opponent.

/** Draws a field as tiles beside it, by the keys of an alphabet; answers what draws it anew. */
export function drawTiles(field, keys) {
  const tiles = [...keys.querySelectorAll("[data-letter]")].map((key) => key.dataset.letter);
  const rack = field.parentElement.querySelector(".tiles") ?? document.createElement("span");
  rack.className = "tiles";
  rack.setAttribute("aria-hidden", "true");
  field.after(rack);
  const draw = () => rack.replaceChildren(...tilesOf(field.value, tiles, keys.dataset.case).map(drawn));
  draw();
  return draw;
}

function drawn(text) {
  const tile = document.createElement("span");
  tile.className = [...text].length > 1 ? "tile wide" : "tile";
  tile.textContent = text;
  return tile;
}

/** The tiles of a text. `tiles` are those of the alphabet, `cases` pairs of letters: aAbB. */
function tilesOf(text, tiles, cases) {
  const upper = new Map();
  const pairs = [...cases];
  for (let at = 0; at < pairs.length; at += 2) upper.set(pairs[at], pairs[at + 1]);
  const letters = [...text.normalize("NFC").trim()].map((letter) => upper.get(letter) ?? letter);
  const longest = Math.max(1, ...tiles.map((tile) => [...tile].length));
  const found = [];
  for (let at = 0; at < letters.length; ) {
    const size = marked(letters, at) || sizeAt(letters, at, tiles, longest);
    const part = letters.slice(at, at + size);
    found.push(part[0] === "[" && size > 1 ? part.slice(1, -1).join("") : part.join(""));
    at += size;
  }
  return found;
}

function marked(letters, at) {
  const end = letters[at] === "[" ? letters.indexOf("]", at) : -1;
  return end > at + 1 ? end - at + 1 : 0;
}

function sizeAt(letters, at, tiles, longest) {
  for (let size = longest; size > 1; size--) {
    if (tiles.includes(letters.slice(at, at + size).join(""))) return size;
  }
  return 1;
}
