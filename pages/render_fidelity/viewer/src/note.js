// Pinning a note: a rectangle on the render, then words. By mouse it is drawn, by keyboard it is the change at hand.
export class NoteForm {
  constructor(viewer) {
    this.viewer = viewer; this.form = viewer.$('form.note'); this.region = null; this.open = false; this.drag = null;
    const pane = viewer.$('.b');
    viewer.on(pane, 'pointerdown', (event) => this.down(event), { capture: true });
    viewer.on(pane, 'pointermove', (event) => this.move(event), { capture: true });
    viewer.on(pane, 'pointerup', (event) => this.up(event), { capture: true });
    viewer.on(this.form, 'submit', (event) => { event.preventDefault(); this.save(); });
    viewer.on(this.form.querySelector('.cancel'), 'click', () => this.close());
    viewer.on(this.form.querySelector('textarea'), 'keydown', (event) => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); this.save(); } });
  }

  begin(page) {
    if (!page || !page.sha || !this.viewer.data.decides) return;
    const axes = this.form.querySelector('.axis');
    axes.replaceChildren(...this.viewer.data.axes.map((axis) => { const option = document.createElement('option'); option.value = axis.id; option.textContent = `${axis.id} ${axis.name}`; return option; }));
    if (this.viewer.data.axes.some((axis) => axis.id === 'F3')) axes.value = 'F3';
    const change = this.viewer.changes()[this.viewer.current];
    this.region = change && change.what !== 'shift' ? { x: change.x, y: change.y, width: change.width, height: change.height } : this.middle();
    this.open = true; this.form.hidden = false; this.viewer.wrap.classList.add('pinning');
    this.form.querySelector('textarea').focus();
    this.viewer.draw();
  }

  middle() {
    const seen = this.viewer.stage.visible(), { w, h } = this.viewer.extent;
    return this.whole({ x: (seen.x + seen.w / 3) * w, y: (seen.y + seen.h / 3) * h, width: (seen.w / 3) * w, height: (seen.h / 3) * h });
  }

  whole(region) {
    const { w, h } = this.viewer.extent, x = Math.max(0, Math.round(region.x)), y = Math.max(0, Math.round(region.y));
    return { x, y, width: Math.max(1, Math.min(w - x, Math.round(region.width))), height: Math.max(1, Math.min(h - y, Math.round(region.height))) };
  }

  at(event) {
    const frame = this.viewer.$('.b .osd').getBoundingClientRect();
    return this.viewer.stage.toPage(this.viewer.stage.b, { x: event.clientX - frame.left, y: event.clientY - frame.top }, this.viewer.extent);
  }

  down(event) { if (!this.open || event.button) return; this.drag = this.at(event); event.preventDefault(); event.stopPropagation(); }

  move(event) {
    if (!this.drag) return;
    event.preventDefault(); event.stopPropagation();
    const to = this.at(event), from = this.drag;
    this.region = this.whole({ x: Math.min(from.x, to.x), y: Math.min(from.y, to.y), width: Math.abs(to.x - from.x), height: Math.abs(to.y - from.y) });
    this.viewer.draw();
  }

  up(event) { if (!this.drag) return; event.preventDefault(); event.stopPropagation(); this.drag = null; this.form.querySelector('textarea').focus(); }

  save() {
    const area = this.form.querySelector('textarea'), words = area.value.trim(), page = this.viewer.here();
    if (!words) { area.focus(); return; }
    const { x, y, width, height } = this.region;
    this.viewer.report('pin', { page: page.n, render: page.sha, region: [x, y, width, height], text: words, note: this.form.querySelector('.kind').value, axis: this.form.querySelector('.axis').value });
    area.value = ''; this.close();
  }

  close() {
    this.open = false; this.drag = null; this.region = null; this.form.hidden = true; this.viewer.wrap.classList.remove('pinning');
    this.viewer.draw();
  }
}
