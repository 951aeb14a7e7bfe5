// The viewer's own keys. They act from anywhere on the page except while somebody types or a dialog is open.
import { MODES } from './stage.js';

const typing = (event) => event.composedPath().some((node) => node instanceof HTMLElement && (node.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(node.tagName) || node.getAttribute('role') === 'combobox'));
const MOVES = { ArrowLeft: [-90, 0], ArrowRight: [90, 0], ArrowUp: [0, -90], ArrowDown: [0, 90] };

export function bindKeys(viewer) {
  viewer.on(document, 'keydown', (event) => {
    if (event.key === 'Escape') { escape(viewer, event); return; }
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || typing(event) || document.querySelector('[role=dialog]')) return;
    if (handle(viewer, event)) { event.preventDefault(); event.stopPropagation(); }
  }, { capture: true });
}

function escape(viewer, event) {
  if (viewer.note.open) viewer.note.close(); else if (viewer.wrap.classList.contains('wide')) viewer.wide(); else return;
  event.preventDefault(); event.stopPropagation();
}

function handle(viewer, event) {
  const key = event.key, move = MOVES[key];
  if (event.shiftKey && key !== '+' && key !== '_') return false;
  if (move) {
    if (!viewer.wrap.contains(event.composedPath()[0]) && !viewer.wrap.classList.contains('wide')) return false; // the page scrolls
    viewer.stage.panBy(...move); return true;
  }
  if (key >= '1' && key <= '7') { viewer.setMode(MODES[key - 1]); return true; }
  const deeds = { n: 'next', p: 'previous', t: 'pin', f: 'wide', o: 'offset', 0: 'fit', 9: 'full', '+': 'in', '=': 'in', '-': 'out', ' ': 'read' };
  if (key === ' ' && event.composedPath()[0] instanceof HTMLButtonElement) return false; // a focused button is pressed
  if (deeds[key]) { viewer.act(deeds[key]); return true; }
  if (key === 'j' || key === 'k') { viewer.step(key === 'j' ? 1 : -1); return true; }
  if (key === 'm') { viewer.strip.nextSource(); return true; }
  return false;
}
