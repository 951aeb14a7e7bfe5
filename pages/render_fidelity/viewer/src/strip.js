// The contact sheet under the pages: every pack page with what is unseen, merged sources to pick from, unmapped originals.
import { ENOUGH } from './coverage.js';
import { el } from './view.js';

export class Strip {
  constructor(viewer) { this.viewer = viewer; this.box = viewer.$('.strip'); this.made = ''; }

  build() {
    const { data } = this.viewer, made = JSON.stringify([data.base, data.pages.map((page) => [page.n, page.sha, page.seen, page.sources.map((from) => from.sha)]), data.unmapped]);
    if (made === this.made) { this.mark(); return; }
    this.made = made;
    this.box.replaceChildren(...data.pages.map((page) => this.cell(page)), ...(data.unmapped.length ? [el('span', 'sep', 'not mapped')] : []), ...data.unmapped.map((from) => this.left(from)));
    this.mark();
  }

  picture(url, words) {
    const image = document.createElement('img');
    image.src = url; image.alt = words; image.loading = 'lazy'; image.decoding = 'async';
    return image;
  }

  cell(page) {
    const { viewer } = this, cell = el('button', 'cell'); cell.type = 'button'; cell.setAttribute('role', 'option'); cell.dataset.page = page.n;
    cell.appendChild(page.sha ? this.picture(viewer.url('thumb', page), '') : el('span', 'none', page.error || 'no picture'));
    const line = el('span', 'line'); line.append(el('span', 'icon'), el('span', 'n', String(page.n)), el('span', 'part'));
    if (page.sources.length > 1) line.append(el('span', 'merged', `${page.sources.length} merged`));
    cell.append(line);
    viewer.on(cell, 'click', () => viewer.turnTo(page.n));
    return cell;
  }

  left(from) {
    const { viewer } = this, cell = el('div', 'cell unmapped');
    cell.append(from.sha ? this.picture(`${viewer.data.base}/thumb-original/0/${from.n}?v=${from.sha.slice(0, 12)}`, '') : el('span', 'none', from.error || 'no picture'));
    cell.append(el('span', 'line', `original ${from.n}`), el('span', 'reason', from.reason || 'no reason given'));
    return cell;
  }

  nextSource() {
    const page = this.viewer.here();
    if (page && page.sources.length > 1) this.viewer.turnTo(page.n, { source: (this.viewer.source + 1) % page.sources.length, tell: false });
  }

  mark() {
    const { viewer } = this;
    for (const cell of this.box.querySelectorAll('[data-page]')) {
      const page = viewer.data.pages.find((one) => one.n === Number(cell.dataset.page)), here = page.n === viewer.page;
      cell.setAttribute('aria-selected', here);
      cell.setAttribute('aria-label', `Page ${page.n}, ${page.id}: ${page.seen ? 'seen' : 'not seen yet'}`);
      cell.dataset.seen = Boolean(page.seen);
      cell.querySelector('.icon').textContent = page.seen ? 'visibility' : 'visibility_off';
      if (here && this.at !== page.n) { this.at = page.n; this.box.scrollTo({ left: cell.offsetLeft - this.box.clientWidth / 2 + cell.clientWidth / 2 }); }
    }
    this.sources();
  }

  /** Merged sources as a strip to pick from, beside the original's caption. */
  sources() {
    const { viewer } = this, page = viewer.here(), line = viewer.$('.captions .left'); if (!page) return;
    let bar = viewer.$('.sources'); if (!bar) { bar = el('span', 'sources'); bar.setAttribute('role', 'group'); bar.setAttribute('aria-label', 'Merged original pages'); line.after(bar); }
    bar.replaceChildren(...(page.sources.length > 1 ? page.sources.map((from, at) => {
      const button = el('button', '', String(from.n)); button.type = 'button'; button.setAttribute('aria-pressed', at === viewer.source); button.setAttribute('aria-label', `Original page ${from.n}`);
      viewer.on(button, 'click', () => viewer.turnTo(page.n, { source: at, tell: false }));
      return button;
    }) : []));
    if (page.sources.length > 1) bar.append(Object.assign(el('kbd', '', 'm')));
  }

  progress() {
    const { viewer } = this, page = viewer.here(), cell = page && this.box.querySelector(`[data-page="${page.n}"]`);
    if (!cell || !page.sha) return;
    const share = viewer.cover.share(page.sha);
    cell.querySelector('.part').textContent = page.seen || share >= ENOUGH || !share ? '' : `${Math.floor(100 * share)}%`;
  }
}
