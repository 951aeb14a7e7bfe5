// Two panes on OpenSeadragon with one zoom and pan, and every way of laying one page over the other in the second.
import OpenSeadragon from 'openseadragon';

export const MODES = ['side', 'swipe', 'onion', 'blink', 'difference', 'changes', 'heat'];
const BLINK_MS = 700;
const { Point, Rect } = OpenSeadragon;

function open(element) {
  return OpenSeadragon({
    element, drawer: 'canvas', showNavigationControl: false, keyboardNavEnabled: false, animationTime: 0.18, springStiffness: 12,
    visibilityRatio: 0.2, minZoomImageRatio: 0.5, maxZoomPixelRatio: 12, smoothTileEdgesMinZoom: Infinity, imageSmoothingEnabled: true,
    gestureSettingsMouse: { clickToZoom: false, dblClickToZoom: true, scrollToZoom: true, flickEnabled: false },
    preserveImageSizeOnResize: false, immediateRender: true, blendTime: 0, crossOriginPolicy: false,
  });
}

export class Stage {
  constructor(left, right, onView) {
    this.a = open(left); this.b = open(right);
    this.items = {}; this.mode = 'side'; this.split = 0.5; this.alpha = 0.5; this.front = true; this.offset = new Point(0, 0);
    this.adjusting = false; this.leading = null; this.onView = onView; this.turn = 0;
    for (const [one, other] of [[this.a, this.b], [this.b, this.a]]) {
      // The pane that the person moves leads; what the other then reports about itself is not sent back.
      for (const event of ['canvas-drag', 'canvas-scroll', 'canvas-press', 'canvas-double-click', 'canvas-pinch']) one.addHandler(event, () => { this.leading = one; if (event !== 'canvas-press') this.homed = false; });
      const follow = () => { if (this.leading === one || this.leading === null) this.follow(one, other); this.onView(); };
      one.addHandler('viewport-change', follow); one.addHandler('animation', follow); one.addHandler('resize', () => { if (this.homed) setTimeout(() => { if (this.homed) this.fit(); }, 0); this.onView(); });
    }
    // A page of 2560 pixels in a pane of 380: without this its small type falls apart.
    for (const viewer of [this.a, this.b]) viewer.addHandler('tile-drawing', (event) => { if (event.context) event.context.imageSmoothingQuality = 'high'; });
    this.captures = false;
    this.timer = setInterval(() => { if (this.mode === 'blink') { this.front = !this.front; this.paint(); this.onView(); } }, BLINK_MS);
  }

  destroy() { clearInterval(this.timer); this.a.destroy(); this.b.destroy(); }

  follow(one, other) {
    if (this.adjusting || this.mode !== 'side') return;
    // What lies at x in the original lies at x + offset in the render.
    const sign = one === this.a ? 1 : -1, at = one.viewport.getCenter(true), to = at.plus(this.offset.times(sign));
    const zoom = one.viewport.getZoom(true);
    if (Math.abs(other.viewport.getZoom(true) - zoom) > 1e-6) other.viewport.zoomTo(zoom, null, true);
    if (to.minus(other.viewport.getCenter(true)).apply(Math.abs).x + to.minus(other.viewport.getCenter(true)).apply(Math.abs).y > 1e-7) other.viewport.panTo(to, true);
  }

  /** Show a pair. `keep`: zoom and place stay. Resolves when both pictures are drawn; rejects with words. */
  async show(original, render, keep) {
    const turn = ++this.turn, home = !keep || !this.b.world.getItemCount();
    const view = home ? null : { centre: this.b.viewport.getCenter(true), zoom: this.b.viewport.getZoom(true) };
    const add = (viewer, url, index) => url ? new Promise((done, fail) => viewer.addTiledImage({
      tileSource: { type: 'image', url, buildPyramid: false }, width: 1, x: 0, y: 0, preload: true, opacity: 0, index,
      success: (event) => done(event.item), error: () => fail(new Error('the picture could not be loaded')),
    })) : Promise.resolve(null);
    const results = await Promise.allSettled([add(this.a, original), add(this.b, original), add(this.b, render)]);
    const made = results.map((result) => result.value || null);
    if (turn !== this.turn) { // another page was turned to meanwhile
      [this.a, this.b, this.b].forEach((viewer, at) => { if (made[at]) viewer.world.removeItem(made[at]); });
      return false;
    }
    for (const viewer of [this.a, this.b]) for (let at = viewer.world.getItemCount() - 1; at >= 0; at--) {
      const item = viewer.world.getItemAt(at);
      if (!made.includes(item)) viewer.world.removeItem(item);
    }
    this.items = { left: made[0], below: made[1], above: made[2] };
    this.overlayItems = {};
    this.paint();
    if (view && !this.homed) { this.leading = this.b; this.b.viewport.zoomTo(view.zoom, null, true); this.b.viewport.panTo(view.centre, true); } else this.fit();
    await Promise.all(made.filter(Boolean).map((item) => item.getFullyLoaded() ? null : new Promise((done) => item.addOnceHandler('fully-loaded-change', done))));
    this.onView();
    return results.map((result) => (result.status === 'rejected' ? result.reason.message : null));
  }

  /** A derived picture (veil, heat) on top of the second pane, loaded when first wanted. */
  async overlay(kind, url) {
    if (!this.overlayItems || this.overlayItems[kind]) { this.paint(); return; }
    const turn = this.turn;
    this.overlayItems[kind] = await new Promise((done, fail) => this.b.addTiledImage({
      tileSource: { type: 'image', url, buildPyramid: false }, width: 1, opacity: 0, preload: true, success: (event) => done(event.item), error: () => fail(new Error(`${kind} could not be made`)),
    }));
    if (turn !== this.turn) { this.b.world.removeItem(this.overlayItems[kind]); return; }
    this.paint();
  }

  setMode(mode) { this.mode = mode; this.front = true; this.leading = this.b; this.paint(); }

  paint() {
    const { left, below, above } = this.items, over = this.overlayItems || {}, mode = this.mode;
    const move = mode === 'side' ? new Point(0, 0) : this.offset;
    if (left) left.setOpacity(mode === 'side' ? 1 : 0);
    if (below) { below.setOpacity(['side', 'changes', 'heat'].includes(mode) ? 0 : 1); below.setPosition(move, true); }
    if (above) {
      above.setCompositeOperation(mode === 'difference' ? 'difference' : null);
      above.setOpacity(mode === 'heat' ? 0 : mode === 'onion' ? this.alpha : mode === 'blink' && !this.front ? 0 : 1);
      this.clip();
    }
    if (over.veil) over.veil.setOpacity(mode === 'changes' ? 1 : 0);
    if (over.heat) over.heat.setOpacity(mode === 'heat' ? 1 : 0);
    this.b.forceRedraw(); this.a.forceRedraw();
  }

  /** Swipe: the render shows right of the divider; `split` is a share of the pane. */
  clip() {
    const { above } = this.items;
    if (!above) return;
    if (this.mode !== 'swipe') { above.setClip(null); return; }
    const size = above.getContentSize(), edge = this.b.viewport.pointFromPixel(new Point(this.split * this.width, 0), true).x * size.x;
    const from = Math.min(Math.max(0, edge), size.x - 1);
    above.setClip(new Rect(from, 0, size.x - from, size.y));
    if (edge >= size.x) above.setOpacity(0); else above.setOpacity(1);
  }

  lead() { return this.mode === 'side' && this.leading === this.a ? this.a : this.b; }

  fit() { this.homed = true; this.leading = this.b; const at = this.bounds(); this.b.viewport.fitBounds(at, true); if (this.mode === 'side') this.follow(this.b, this.a); }

  bounds() { const item = this.items.above || this.items.below; return item ? new Rect(0, 0, 1, item.getContentSize().y / item.getContentSize().x) : new Rect(0, 0, 1, 0.5625); }

  /** False from a change of the panes' size until OpenSeadragon has heard of it; a hidden pane has no size. */
  sized() {
    return [this.a, this.b].every(({ viewport, container }) => {
      if (!viewport || !container?.clientWidth) return true;
      const known = viewport.getContainerSize();
      return Math.abs(known.x - container.clientWidth) < 2 && Math.abs(known.y - container.clientHeight) < 2;
    });
  }

  /** The render's pane in CSS pixels; a pane that is being taken down has none, and counts as one pixel. */
  get width() { return this.b.container?.clientWidth || 1; }

  get height() { return this.b.container?.clientHeight || 1; }

  /** One image pixel of the render a device pixel. */
  full() { this.zoomTo(this.fullZoom()); }

  fullZoom() { const item = this.items.above || this.items.below; return item ? item.getContentSize().x / this.width / (window.devicePixelRatio || 1) : 1; }

  zoomTo(zoom) { this.homed = false; this.leading = this.b; this.b.viewport.zoomTo(zoom, null, true); this.b.viewport.applyConstraints(true); }

  zoomBy(factor) { this.homed = false; this.leading = this.b; this.b.viewport.zoomBy(factor, null, false); this.b.viewport.applyConstraints(); }

  panBy(x, y) { this.homed = false; this.leading = this.b; this.b.viewport.panBy(this.b.viewport.deltaPointsFromPixels(new Point(x, y)), false); this.b.viewport.applyConstraints(); }

  /** Percent of original resolution at which the render is shown. */
  percent() { return Math.round(100 * this.b.viewport.getZoom(true) / this.fullZoom()); }

  /** Where a pane is: zoom and centre, for people who debug and for tests. */
  where(viewer) { const at = viewer.viewport.getCenter(true); return [viewer.viewport.getZoom(true), at.x, at.y].map((value) => value.toFixed(4)).join(' '); }

  /** What of the render is visible in the second pane, as shares of the picture. */
  visible() {
    const view = this.b.viewport.getBounds(true), height = this.bounds().height;
    const left = Math.max(0, view.x), top = Math.max(0, view.y), right = Math.min(1, view.x + view.width), bottom = Math.min(height, view.y + view.height);
    return { x: left, y: top / height, w: Math.max(0, right - left), h: Math.max(0, bottom - top) / height };
  }

  /** Put this place of the render (shares) at the top left, at full resolution. */
  readFrom(place) {
    const zoom = this.fullZoom(), height = this.bounds().height, w = 1 / zoom, h = w * this.height / this.width;
    const x = Math.max(0, Math.min(place.x, Math.max(0, 1 - w))), y = Math.max(0, Math.min(place.y * height, Math.max(0, height - h)));
    this.homed = false; this.leading = this.b; this.b.viewport.zoomTo(zoom, null, true); this.b.viewport.panTo(new Point(x + w / 2, y + h / 2), true);
  }

  /** Bring a region of the render (its pixels) to the middle, with air round it. */
  goTo(region, size) {
    const air = Math.max(region.width, region.height, 260) * 0.9;
    this.homed = false; this.leading = this.b;
    this.b.viewport.fitBounds(new Rect((region.x - air) / size.w, (region.y - air) / size.w, (region.width + 2 * air) / size.w, (region.height + 2 * air) / size.w), false);
  }

  /** Pixels of a pane to pixels of the page that lies there, and back. */
  toPage(viewer, point, size) { const at = viewer.viewport.pointFromPixel(new Point(point.x, point.y), true); return { x: at.x * size.w, y: at.y * size.w }; }

  toPane(viewer, region, size) {
    const from = viewer.viewport.pixelFromPoint(new Point(region.x / size.w, region.y / size.w), true);
    const to = viewer.viewport.pixelFromPoint(new Point((region.x + region.width) / size.w, (region.y + region.height) / size.w), true);
    return { x: from.x, y: from.y, w: to.x - from.x, h: to.y - from.y };
  }
}
