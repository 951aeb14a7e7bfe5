// What is drawn over the pictures: changes, pins, the rectangle being pinned. One SVG a pane, redrawn with the view.
const NS = 'http://www.w3.org/2000/svg';

function make(name, attributes, parent, words) {
  const node = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (words !== undefined) node.textContent = words;
  parent.appendChild(node);
  return node;
}

function box(svg, place, cls, words) {
  const pad = 5, w = Math.max(place.w, 4) + 2 * pad, h = Math.max(place.h, 4) + 2 * pad;
  make('rect', { x: place.x - pad, y: place.y - pad, width: w, height: h, rx: 4, class: cls }, svg);
  if (!words) return;
  const width = 11 + 7 * words.length, y = place.y - pad - 20 < 2 ? place.y - pad + 2 : place.y - pad - 20;
  const x = Math.max(2, place.x - pad);
  make('rect', { x, y, width, height: 18, rx: 4, class: `${cls} tag` }, svg);
  make('text', { x: x + 5, y: y + 13, class: `${cls} words` }, svg, words);
}

/** Draw into `svg`: `toPane` turns a region of the page into pane pixels. */
export function drawMarks(svg, { changes, current, notes, drawing, toPane, shown }) {
  svg.replaceChildren();
  if (shown) changes.forEach((change, at) => {
    if (change.what === 'shift' || at === current) return;
    box(svg, toPane(change), 'change');
  });
  const chosen = changes[current];
  if (chosen) box(svg, toPane(chosen), `change current ${chosen.what}`, String(current + 1));
  notes.forEach((note, at) => box(svg, toPane({ x: note.region[0], y: note.region[1], width: note.region[2], height: note.region[3] }), `note ${note.kind}`, `pin ${at + 1}`));
  if (drawing) box(svg, toPane(drawing), 'drawing');
}
