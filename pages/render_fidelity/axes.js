// Seven axes, each 0 to 4. The axis in work shows its words; a digit scores it and moves on. Scores show at once.
const ALIVE = new WeakMap();

const el = (tag, cls, words) => { const node = document.createElement(tag); if (cls) node.className = cls; if (words !== undefined) node.textContent = words; return node; };
const typing = (event) => event.composedPath().some((node) => node instanceof HTMLElement && (node.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(node.tagName) || node.getAttribute('role') === 'combobox'));

class Axes {
  constructor(root) {
    this.box = el('div', 'axes'); root.appendChild(this.box);
    this.abort = new AbortController(); this.outbox = []; this.sequence = 0; this.nonce = Math.random().toString(36).slice(2); this.at = 0;
    document.addEventListener('keydown', (event) => this.key(event), { signal: this.abort.signal, capture: true });
  }

  destroy() { this.abort.abort(); this.box.remove(); }

  update({ data, setStateValue }) {
    const other = !this.data || this.data.slug !== data.slug;
    this.data = data; this.send = setStateValue;
    if (other) { this.scores = {}; this.mine = {}; this.at = 0; }
    // What the server says counts, except for a score that is on its way to it.
    this.scores = { ...data.scores };
    for (const [axis, score] of Object.entries(this.mine)) if (this.scores[axis] === score) delete this.mine[axis]; else this.scores[axis] = score;
    this.paint();
  }

  /** A second click on a score takes it away; a key only ever sets. */
  set(axis, score, toggles) {
    if (this.data.locked) return;
    const value = toggles && this.scores[axis] === score ? null : score;
    this.mine[axis] = value; this.scores[axis] = value;
    this.outbox.push({ seq: ++this.sequence, kind: 'score', slug: this.data.slug, axis, score: value });
    this.outbox = this.outbox.slice(-40);
    this.send('events', { nonce: this.nonce, list: this.outbox });
    this.paint();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || typing(event) || document.querySelector('[role=dialog]')) return;
    const axes = this.data.axes;
    if (event.shiftKey && /^Digit[0-4]$/.test(event.code)) { this.set(axes[this.at].id, Number(event.code[5]), false); this.at = Math.min(axes.length - 1, this.at + 1); }
    else if (event.key === 'd' || event.key === 'e') this.at = (this.at + (event.key === 'd' ? 1 : axes.length - 1)) % axes.length;
    else return;
    event.preventDefault(); event.stopPropagation(); this.paint();
  }

  paint() {
    const { data, scores } = this, kept = this.box.getRootNode().activeElement?.dataset?.cell;
    this.box.replaceChildren(...data.axes.map((axis, at) => {
      const row = el('div', at === this.at ? 'axis open' : 'axis'); row.setAttribute('role', 'group'); row.setAttribute('aria-label', `${axis.id} ${axis.name}`);
      const head = el('button', 'head'); head.type = 'button'; head.setAttribute('aria-expanded', at === this.at);
      head.append(el('b', '', axis.id), ` ${axis.name}`); head.addEventListener('click', () => { this.at = at; this.paint(); });
      if (axis.second !== null && axis.second !== undefined) { const second = el('span', axis.second === scores[axis.id] ? 'second' : 'second differs', `2nd ${axis.second}`); head.append(second); }
      const cells = el('div', 'cells');
      for (let score = 0; score <= 4; score++) {
        const cell = el('button', axis.low !== undefined && score < axis.low ? 'low' : '', String(score)); cell.type = 'button'; cell.dataset.cell = `${axis.id}${score}`;
        cell.disabled = data.locked; cell.setAttribute('aria-pressed', scores[axis.id] === score); cell.setAttribute('aria-label', `${axis.id} ${axis.name}: ${score}`);
        cell.addEventListener('click', () => { this.at = at; this.set(axis.id, score, true); });
        cells.append(cell);
      }
      row.append(head, cells);
      if (at === this.at) {
        row.append(el('p', 'measures', axis.measures));
        const words = el('dl', '');
        for (const [score, text] of [[0, axis.zero], [2, axis.two], [4, axis.four]]) words.append(el('dt', '', String(score)), el('dd', '', text));
        row.append(words);
        if (axis.counts) row.append(el('p', 'counts', axis.counts));
      }
      return row;
    }), el('p', 'keys', data.locked ? data.locked : 'Shift 0–4 scores the open axis, d and e move on and back'));
    if (kept) this.box.querySelector(`[data-cell="${kept}"]`)?.focus();
  }
}

export default function (component) {
  const root = component.parentElement;
  let axes = ALIVE.get(root);
  if (!axes) { axes = new Axes(root); ALIVE.set(root, axes); }
  axes.update(component);
  return () => { axes.destroy(); ALIVE.delete(root); };
}
