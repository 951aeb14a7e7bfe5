// One viewer an element: original beside render, walked page by page. Streamlit calls the exported function on each change.
import { Coverage, ENOUGH } from './coverage.js';
import { bindKeys } from './keys.js';
import { drawMarks } from './marks.js';
import { NoteForm } from './note.js';
import { MODES, Stage } from './stage.js';
import { Strip } from './strip.js';
import { aidWords, build } from './view.js';

const TICK_MS = 200;
const ALIVE = new WeakMap();

class Viewer {
  constructor(root) {
    this.wrap = build(root); this.abort = new AbortController(); this.cover = new Coverage();
    this.$ = (selector) => this.wrap.querySelector(selector);
    this.stage = new Stage(this.$('.a .osd'), this.$('.b .osd'), () => this.draw());
    this.note = new NoteForm(this); this.strip = new Strip(this);
    this.compared = new Map(); this.ordered = {}; this.warm = new Map(); this.outbox = []; this.sequence = 0;
    this.nonce = Math.random().toString(36).slice(2); this.page = null; this.source = 0; this.current = -1; this.passed = 0;
    this.on(this.wrap, 'click', (event) => this.clicked(event));
    this.on(this.$('.mix'), 'input', (event) => { const share = event.target.value / 100; if (this.stage.mode === 'onion') this.stage.alpha = share; else this.stage.split = share; this.stage.paint(); this.draw(); });
    this.on(this.$('.stage'), 'pointerdown', () => { this.stage.captures = true; });
    this.on(this.$('.stage'), 'pointerleave', () => { this.stage.captures = false; });
    // Until somebody has clicked into the viewer the wheel is the page's: OpenSeadragon, asked to let one pass, keeps the next for 50 ms.
    this.on(this.$('.stage'), 'wheel', (event) => { if (!this.stage.captures && !event.ctrlKey) event.stopPropagation(); }, { capture: true, passive: true });
    this.on(this.$('.map'), 'click', (event) => this.stage.readFrom({ x: event.offsetX / event.target.clientWidth, y: event.offsetY / event.target.clientHeight }));
    bindKeys(this);
    this.timer = setInterval(() => this.tick(), TICK_MS);
    this.size = new ResizeObserver(() => this.draw()); this.size.observe(this.$('.stage'));
    this.setMode('side');
  }

  on(target, event, handler, options = {}) { target.addEventListener(event, handler, { signal: this.abort.signal, ...options }); }

  destroy() { this.abort.abort(); clearInterval(this.timer); this.size.disconnect(); this.stage.destroy(); this.wrap.remove(); }

  // ---- what comes from the server

  update({ data, setStateValue }) {
    const other = !this.data || this.data.slug !== data.slug || this.data.base !== data.base;
    const asked = !this.data || this.data.slug !== data.slug || this.data.asked !== data.asked;
    this.data = data; this.send = setStateValue;
    if (other) { this.compared.clear(); this.ordered = {}; this.warm.clear(); this.orderOf = null; }
    for (const page of data.pages) if (page.seen && page.sha) this.cover.fill(page.sha);
    this.strip.build();
    this.$('[data-do=pin]').disabled = !data.decides;
    if (asked || !this.here()) this.turnTo(data.page, { keep: false, tell: false });
    else if (other || this.shownKey !== this.keyOf(this.here(), this.source)) this.turnTo(this.page, { keep: true, tell: false });
    else { this.captions(); this.draw(); }
  }

  here() { return this.data && this.data.pages.find((page) => page.n === this.page); }

  url(kind, page, source) { return `${this.data.base}/${kind}/${page.n}/${source ? source.n : 0}?v=${(page.sha || '').slice(0, 12)}${source ? (source.sha || '').slice(0, 12) : ''}`; }

  keyOf(page, source) { const from = page && page.sources[source]; return page ? `${page.n}:${page.sha}:${from ? from.sha : ''}` : ''; }

  // ---- pages

  async turnTo(number, { keep = true, source = 0, tell = true } = {}) {
    const page = this.data.pages.find((one) => one.n === number) || this.data.pages[0];
    if (!page) return;
    const started = performance.now();
    this.page = page.n; this.source = Math.min(source, Math.max(0, page.sources.length - 1)); this.current = -1; this.cover.rest();
    const from = page.sources[this.source];
    this.shownKey = this.keyOf(page, this.source);
    this.wrap.dataset.ready = '';
    this.strip.mark(); this.captions(); this.note.close();
    if (tell) this.report('page', { page: page.n });
    this.extent = { w: page.w || 16, h: page.h || 9 };
    const errors = await this.stage.show(from && from.sha ? this.url('original', page, from) : null, page.sha ? this.url('render', page) : null, keep);
    if (!errors) return;
    this.failed('.a', (from && from.error) || (!from && 'no original page is mapped to this page') || errors[0]);
    this.failed('.b', page.error || errors[2]);
    if (MODES.indexOf(this.stage.mode) > 4) this.fetchOverlay();
    this.wrap.dataset.ready = `${this.data.slug}:${page.n}`; this.wrap.dataset.turnMs = Math.round(performance.now() - started);
    this.draw();
    // What is on the screen comes first, then the order over the whole pack, then the next page.
    this.fetchComparison(page, this.source).then(() => { this.fetchOrder(); this.warmNext(); });
  }

  failed(pane, words) { const line = this.$(`${pane} .failed`); line.hidden = !words; line.textContent = words || ''; }

  step(by) {
    const at = this.data.pages.findIndex((page) => page.n === this.page) + by;
    if (at >= 0 && at < this.data.pages.length) this.turnTo(this.data.pages[at].n);
  }

  /** The next page's pictures are fetched and decoded before they are asked for. */
  warmNext() {
    const at = this.data.pages.findIndex((page) => page.n === this.page);
    for (const page of [this.data.pages[at + 1], this.data.pages[at - 1]]) {
      if (!page) continue;
      const urls = [page.sha && this.url('render', page), page.sources[0] && page.sources[0].sha && this.url('original', page, page.sources[0])];
      for (const url of urls.filter(Boolean)) if (!this.warm.has(url)) {
        const image = new Image(); image.src = url; this.warm.set(url, image);
        image.decode().catch(() => this.warm.delete(url)); // what is wrong with it is said when it is opened
      }
      this.fetchComparison(page, 0);
    }
    while (this.warm.size > 12) this.warm.delete(this.warm.keys().next().value);
  }

  captions() {
    const page = this.here(); if (!page) return;
    const from = page.sources[this.source], many = page.sources.length > 1;
    this.$('.left').textContent = from ? `Original · page ${from.n} of ${this.data.originals}${many ? ` · ${this.source + 1} of ${page.sources.length} merged` : ''}` : 'Original · none mapped';
    this.$('.right').textContent = `Render · page ${page.n} of ${this.data.pages.length}, ${page.id}${page.kind && page.kind !== page.id ? ` · ${page.kind}` : ''}`;
  }

  // ---- changes

  async get(url) {
    const answer = await fetch(url, { signal: this.abort.signal });
    if (!(answer.headers.get('content-type') || '').startsWith('application/json')) throw new Error(`the server answered ${answer.status}`);
    const value = await answer.json();
    if (!answer.ok) throw new Error(value.error || `the server answered ${answer.status}`);
    return value;
  }

  async fetchComparison(page, source) {
    const from = page.sources[source], key = this.keyOf(page, source);
    if (!from || !from.sha || !page.sha || this.compared.has(key)) { this.draw(); return; }
    this.compared.set(key, null);
    try { this.compared.set(key, await this.get(this.url('compare', page, from))); }
    catch (error) { if (error.name !== 'AbortError') this.compared.set(key, { error: error.message, regions: [], notes: [] }); }
    this.draw();
  }

  async fetchOrder() {
    const base = this.data.base;
    if (this.orderOf === `${base}${this.data.key}`) return;
    this.orderOf = `${base}${this.data.key}`;
    try { const found = await this.get(`${base}/changes/0/0?v=${this.data.key}`); if (base === this.data.base) this.ordered = found.pages; }
    catch (error) { if (error.name !== 'AbortError') this.ordered = {}; } // each page keeps its own order
    this.wrap.dataset.ordered = '1'; this.draw();
  }

  comparison() { return this.compared.get(this.keyOf(this.here(), this.source)); }

  changes() {
    const page = this.here(), from = page && page.sources[this.source], all = from && (this.ordered[page.n] || {})[from.n];
    const own = this.comparison();
    return all || (own ? own.regions.map((region) => ({ ...region, also: [] })) : []);
  }

  goChange(by) {
    const all = this.changes(); if (!all.length) return;
    this.current = this.current < 0 ? (by > 0 ? 0 : all.length - 1) : (this.current + by + all.length) % all.length;
    const change = all[this.current];
    if (change.what === 'shift') this.stage.fit(); else this.stage.goTo(change, this.extent);
    this.draw();
  }

  fetchOverlay() {
    const page = this.here(), from = page.sources[this.source], kind = this.stage.mode === 'heat' ? 'heat' : 'veil';
    if (!from || !from.sha || !page.sha) return;
    this.stage.overlay(kind, this.url(kind, page, from)).catch((error) => this.failed('.b', error.message));
  }

  // ---- how it is looked at

  setMode(mode) {
    this.stage.setMode(mode); this.wrap.dataset.mode = mode;
    this.wrap.querySelectorAll('[data-mode]').forEach((button) => button.tagName === 'BUTTON' && button.setAttribute('aria-pressed', button.dataset.mode === mode));
    const mix = this.$('.mix'); mix.hidden = !['swipe', 'onion'].includes(mode);
    mix.value = 100 * (mode === 'onion' ? this.stage.alpha : this.stage.split);
    mix.setAttribute('aria-label', mode === 'onion' ? 'Opacity of the render' : 'Where original ends and render begins');
    if (mode === 'changes' || mode === 'heat') this.fetchOverlay();
    this.draw();
  }

  /** Does it once the panes have their size: OpenSeadragon scales the view with a new size, and would scale this with it. */
  still(deed, frames = 60) {
    if (this.stage.sized() || !frames) deed(); else requestAnimationFrame(() => this.still(deed, frames - 1));
  }

  act(name) { this.still(() => this.acted(name)); }

  acted(name) {
    const stage = this.stage, page = this.here();
    if (name === 'fit') stage.fit(); else if (name === 'full') stage.full();
    else if (name === 'in') stage.zoomBy(1.4); else if (name === 'out') stage.zoomBy(1 / 1.4);
    else if (name === 'next') this.goChange(1); else if (name === 'previous') this.goChange(-1);
    else if (name === 'read') this.readOn(); else if (name === 'pin') this.note.begin(page);
    else if (name === 'wide') this.wide(); else if (name === 'offset') this.offset();
    this.draw();
  }

  readOn() {
    const page = this.here(), place = page && page.sha && this.cover.next(page.sha);
    if (place) { if (!['side', 'swipe', 'onion', 'blink'].includes(this.stage.mode)) this.setMode('side'); this.stage.readFrom(place); return; }
    const rest = this.data.pages.find((one) => one.n > this.page && one.sha && this.cover.share(one.sha) < ENOUGH) || this.data.pages.find((one) => one.sha && this.cover.share(one.sha) < ENOUGH);
    if (rest) this.turnTo(rest.n, { keep: false }).then(() => this.stage.readFrom({ x: 0, y: 0 }));
  }

  wide() {
    const on = this.wrap.classList.toggle('wide');
    // The top layer: no stacking order of the page round it can cover it.
    if (on) { this.wrap.popover = 'manual'; this.wrap.showPopover(); } else { this.wrap.hidePopover(); this.wrap.removeAttribute('popover'); }
    this.$('[data-do=wide]').setAttribute('aria-pressed', on);
    this.still(() => { this.stage.fit(); this.draw(); });
  }

  /** First press: the panes move apart from each other. Second: that offset is kept. A found shift is offered at once. */
  offset() {
    const stage = this.stage, button = this.$('[data-do=offset]');
    if (stage.adjusting) { stage.adjusting = false; stage.offset = stage.b.viewport.getCenter(true).minus(stage.a.viewport.getCenter(true)); }
    else if (stage.offset.x || stage.offset.y) { stage.offset = stage.offset.times(0); stage.leading = stage.b; stage.follow(stage.b, stage.a); }
    else { const found = this.comparison(); const shift = found && found.shift; if (shift) { stage.offset = stage.offset.plus({ x: shift.x / this.extent.w, y: shift.y / this.extent.w }); stage.leading = stage.b; stage.follow(stage.b, stage.a); } else { stage.adjusting = true; if (stage.mode !== 'side') this.setMode('side'); } }
    button.setAttribute('aria-pressed', stage.adjusting || stage.offset.x !== 0 || stage.offset.y !== 0);
    button.querySelector('.words').textContent = stage.adjusting ? 'Keep offset' : stage.offset.x || stage.offset.y ? `Offset ${Math.round(stage.offset.x * this.extent.w)}, ${Math.round(stage.offset.y * this.extent.w)}` : 'Offset';
    stage.paint();
  }

  clicked(event) {
    const button = event.target.closest('button'); if (!button || !this.wrap.contains(button)) return;
    if (button.dataset.mode) this.setMode(button.dataset.mode); else if (button.dataset.do) this.act(button.dataset.do);
  }

  /** Counts what is on the screen at full resolution; in the other views the render itself is not what is seen. */
  tick() {
    const page = this.here();
    if (!page || !page.sha || document.hidden || !this.wrap.dataset.ready || this.stage.percent() < 100) { this.cover.rest(); return; }
    const mode = this.stage.mode, rect = this.stage.visible();
    if (!['side', 'swipe', 'onion', 'blink'].includes(mode) || (mode === 'onion' && this.stage.alpha < 0.5)) { this.cover.rest(); return; }
    if (mode === 'blink' && !this.stage.front) return;
    if (mode === 'swipe') { const cut = rect.x + rect.w * this.stage.split; rect.w -= cut - rect.x; rect.x = cut; }
    if (!this.cover.tick(page.sha, rect)) return;
    if (this.cover.share(page.sha) >= ENOUGH && !page.seen) {
      page.seen = true; this.strip.mark();
      this.report('seen', { page: page.n, render: page.sha, sources: page.sources.map((from) => from.sha || ''), coverage: this.cover.share(page.sha) });
    }
    this.draw();
  }

  /** Events go out as a growing numbered list, so that none is lost when several fall into one run of the script. */
  report(kind, what) {
    this.outbox.push({ seq: ++this.sequence, kind, slug: this.data.slug, ...what });
    this.outbox = this.outbox.slice(-60);
    this.send('events', { nonce: this.nonce, list: this.outbox });
  }

  draw() {
    if (this.drawing) return;
    this.drawing = requestAnimationFrame(() => { this.drawing = null; this.paint(); });
  }

  paint() {
    const page = this.here(), stage = this.stage; if (!page) return;
    if (stage.mode === 'swipe') stage.clip();
    const changes = this.changes(), notes = this.data.notes.filter((note) => note.page === page.n);
    for (const [pane, viewer] of [['.a', stage.a], ['.b', stage.b]]) drawMarks(this.$(`${pane} .marks`), {
      changes, current: this.current, notes: pane === '.b' ? notes : [], drawing: pane === '.b' ? this.note.region : null, shown: stage.mode === 'changes',
      toPane: (region) => stage.toPane(viewer, region, this.extent),
    });
    const divider = this.$('.divider'); divider.hidden = stage.mode !== 'swipe'; divider.style.left = `${100 * stage.split}%`;
    const side = this.$('p.side'); side.hidden = !['blink', 'onion', 'difference', 'heat', 'changes'].includes(stage.mode);
    side.textContent = { blink: stage.front ? 'Render' : 'Original', onion: `Render ${Math.round(100 * stage.alpha)}% over original`, difference: 'Difference: black is alike', heat: 'Heat: bright is different', changes: 'Render, only what changed' }[stage.mode] || '';
    side.dataset.front = stage.front ? 'render' : 'original';
    this.$('.percent').textContent = `${stage.percent()}%`;
    const next = this.$('.next'); next.querySelector('.words').textContent = !changes.length ? 'No change' : this.current < 0 ? `Next of ${changes.length} changes` : `Change ${this.current + 1} of ${changes.length}`;
    next.disabled = !changes.length; this.$('[data-do=previous]').disabled = !changes.length;
    this.$('.aid').textContent = aidWords(page.sources.length ? this.comparison() : { error: 'no original page is mapped to this page' }, changes, this.current);
    const share = page.sha ? this.cover.share(page.sha) : 0, done = page.seen || share >= ENOUGH;
    this.$('.seen').textContent = done ? 'Page seen at 100%' : `${Math.floor(100 * share)}% seen at 100%`;
    this.$('.seen').dataset.done = done;
    const style = getComputedStyle(this.wrap);
    this.cover.draw(this.$('.map'), page.sha || '-', stage.visible(), { rest: style.getPropertyValue('--v-rest'), seen: style.getPropertyValue('--v-seen'), frame: style.getPropertyValue('--v-frame') });
    this.strip.progress();
    this.wrap.dataset.left = stage.where(stage.a); this.wrap.dataset.right = stage.where(stage.b);
  }
}

export default function (component) {
  const root = component.parentElement;
  let viewer = ALIVE.get(root);
  if (!viewer) { viewer = new Viewer(root); ALIVE.set(root, viewer); }
  viewer.update(component);
  return () => { viewer.destroy(); ALIVE.delete(root); };
}
