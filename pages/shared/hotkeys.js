// Keys for the item on the screen. Every press is numbered and carries the item it was meant for, so that none of a burst is
// lost and one that arrives late is recognised. Keys in `focus` only move the caret and never reach the server.
const INSTANCES = new WeakMap();
const FIELDS = /^(INPUT|TEXTAREA|SELECT)$/;

const typing = (event) =>
  event.composedPath().some(
    (node) =>
      node instanceof HTMLElement &&
      (node.isContentEditable ||
        (FIELDS.test(node.tagName) && node.type !== "checkbox" && node.type !== "radio") ||
        node.getAttribute("role") === "combobox"));

function onKey(state, event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (typing(event)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (event.repeat && !state.data.repeat.includes(event.key)) return;
  if (document.querySelector("[role=dialog]")) return; // never act behind a dialog
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const field = state.data.focus[key];
  if (field) {
    const input = document.querySelector(`.st-key-${CSS.escape(field)} :is(input, textarea)`);
    if (!input) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    input.focus();
    input.select();
    return;
  }
  if (!state.data.keys.includes(key)) return;
  event.preventDefault();
  event.stopImmediatePropagation(); // Streamlit's own r (rerun) and c (clear cache) must not act as well
  state.events.push({ seq: ++state.seq, key, item: state.data.item });
  state.events = state.events.slice(-50);
  state.set("events", { nonce: state.nonce, list: state.events });
}

export default function ({ data, parentElement, setStateValue }) {
  let state = INSTANCES.get(parentElement);
  if (!state) {
    state = { seq: 0, events: [], stop: new AbortController(), nonce: crypto.randomUUID?.() ?? String(performance.now()) };
    INSTANCES.set(parentElement, state);
    window.addEventListener("keydown", (event) => onKey(state, event), { signal: state.stop.signal, capture: true });
  }
  state.data = data;
  state.set = setStateValue; // always the newest closure
  return () => {
    state.stop.abort();
    INSTANCES.delete(parentElement);
  };
}
