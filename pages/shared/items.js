// The list beside an item: one element however long it is. Text from outside is set as text, never as markup.
const INSTANCES = new WeakMap();

const make = (tag, className, text) => {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
};

function chip({ words, colour, icon }) {
  const node = make("span", `ts-chip ts-${colour}`);
  if (icon) {
    const mark = make("span", "ts-icon", icon);
    mark.setAttribute("aria-hidden", "true");
    node.append(mark);
  }
  node.append(make("bdi", "", words));
  return node;
}

function row(state, item) {
  const li = make("li", "row");
  li.dataset.id = item.id;
  if (state.data.checks) {
    const box = make("input");
    box.type = "checkbox";
    box.checked = state.data.checked.includes(item.id);
    box.setAttribute("aria-label", `Select ${item.title}`);
    box.addEventListener("change", () => {
      const chosen = new Set(state.data.checked);
      box.checked ? chosen.add(item.id) : chosen.delete(item.id);
      state.data.checked = [...chosen];
      state.set("checked", state.data.checked);
    });
    li.append(box);
  }
  const button = make("button");
  button.type = "button";
  const text = make("span", "words");
  const title = make("span", "title", item.title);
  title.dir = "auto";
  text.append(title);
  if (item.sub) text.append(make("span", "sub", item.sub));
  button.append(text);
  if (item.chip) button.append(chip(item.chip));
  button.addEventListener("click", () => {
    mark(state, item.id);
    state.trigger("pick", item.id);
  });
  li.append(button);
  return li;
}

function mark(state, id) {
  for (const li of state.list.querySelectorAll("li.row")) {
    const on = li.dataset.id === id;
    li.classList.toggle("on", on);
    on ? li.querySelector("button").setAttribute("aria-current", "true") : li.querySelector("button").removeAttribute("aria-current");
  }
}

export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  let state = INSTANCES.get(parentElement);
  if (!state) {
    state = { list: make("nav", "list") };
    INSTANCES.set(parentElement, state);
    parentElement.append(state.list);
  }
  state.data = data;
  state.set = setStateValue;
  state.trigger = setTriggerValue;
  const drawn = JSON.stringify([data.groups, data.checks, data.checked]);
  if (drawn !== state.drawn) {
    state.drawn = drawn;
    state.list.setAttribute("aria-label", data.label);
    state.list.replaceChildren(
      ...data.groups.flatMap((group) => {
        const ul = make("ul");
        ul.append(...group.items.map((item) => row(state, item)));
        return group.label ? [make("p", "group", group.label), ul] : [ul];
      }));
  }
  mark(state, data.chosen);
  if (state.chosen !== data.chosen) {
    state.chosen = data.chosen;
    const li = state.list.querySelector("li.on");
    const box = li?.getBoundingClientRect();
    if (box?.height && (box.top < 60 || box.bottom > window.innerHeight)) li.scrollIntoView({ block: "center" });
  }
  return () => INSTANCES.delete(parentElement);
}
