// The checklist as one element: a box a line, and beside it, while the run waits, a button that chooses it to be waived.
// Text from outside is set as text, never as markup.
const INSTANCES = new WeakMap();

const make = (tag, className, text) => {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
};

function line(state, item) {
  const li = make("li", item.done ? "done" : "");
  const label = make("label");
  const box = make("input");
  box.type = "checkbox";
  box.checked = state.data.checked.includes(item.id);
  box.disabled = item.waived || state.data.locked;
  box.addEventListener("change", () => {
    const checked = new Set(state.data.checked);
    box.checked ? checked.add(item.id) : checked.delete(item.id);
    state.data.checked = [...checked];
    state.set("checked", state.data.checked);
  });
  const words = make("span", "words", item.text);
  words.dir = "auto";
  if (item.note) words.append(make("span", "note", item.note));
  label.append(box, words);
  li.append(label);
  if (state.data.waivable && !item.waived && !item.done) li.append(waiver(state, item));
  return li;
}

function waiver(state, item) {
  const button = make("button", "", "waive");
  button.type = "button";
  const say = () => {
    const on = state.data.chosen.includes(item.id);
    button.setAttribute("aria-pressed", String(on));
    button.setAttribute("aria-label", `Waive: ${item.text}`);
  };
  button.addEventListener("click", () => {
    const chosen = new Set(state.data.chosen);
    chosen.has(item.id) ? chosen.delete(item.id) : chosen.add(item.id);
    state.data.chosen = [...chosen];
    state.set("chosen", state.data.chosen);
    say();
  });
  say();
  return button;
}

export default function ({ data, parentElement, setStateValue }) {
  let state = INSTANCES.get(parentElement);
  if (!state) {
    state = { list: make("ul") };
    INSTANCES.set(parentElement, state);
    parentElement.append(state.list);
  }
  state.data = data;
  state.set = setStateValue;
  const drawn = JSON.stringify(data);
  if (drawn !== state.drawn) {
    state.drawn = drawn;
    state.list.setAttribute("aria-label", data.label);
    state.list.replaceChildren(...data.lines.map((item) => line(state, item)));
  }
  return () => INSTANCES.delete(parentElement);
}
