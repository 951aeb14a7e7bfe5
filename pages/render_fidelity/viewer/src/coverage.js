// Which parts of each picture have been on the screen at one image pixel a device pixel or more, long enough to be seen.
// Bound to the picture's hash: another render starts again. "Reached 100 %" alone is not "looked at".
export const COLUMNS = 32, ROWS = 18;
export const ENOUGH = 0.98;
const EDGE = 0.02; // of a cell: rounding at the rim of the screen

export class Coverage {
  constructor() { this.cells = new Map(); this.pending = new Map(); }

  of(sha) {
    if (!this.cells.has(sha)) this.cells.set(sha, new Uint8Array(COLUMNS * ROWS));
    return this.cells.get(sha);
  }

  /** `rect`: what is visible, as shares of the picture {x, y, w, h}. A cell counts when two ticks in a row saw it. */
  tick(sha, rect) {
    const cells = this.of(sha), now = new Set(), before = this.pending.get(sha) || new Set();
    const first = Math.max(0, Math.ceil(rect.x * COLUMNS - EDGE)), last = Math.min(COLUMNS, Math.floor((rect.x + rect.w) * COLUMNS + EDGE));
    const top = Math.max(0, Math.ceil(rect.y * ROWS - EDGE)), bottom = Math.min(ROWS, Math.floor((rect.y + rect.h) * ROWS + EDGE));
    let changed = false;
    for (let row = top; row < bottom; row++) for (let column = first; column < last; column++) {
      const cell = row * COLUMNS + column;
      now.add(cell);
      if (before.has(cell) && !cells[cell]) { cells[cell] = 1; changed = true; }
    }
    this.pending = new Map([[sha, now]]);
    return changed;
  }

  rest() { this.pending = new Map(); }

  fill(sha) { this.of(sha).fill(1); }

  share(sha) {
    const cells = this.cells.get(sha);
    return cells ? cells.reduce((sum, cell) => sum + cell, 0) / cells.length : 0;
  }

  /** The first cell not seen yet in reading order, as shares of the picture, or null. */
  next(sha) {
    const cell = this.of(sha).indexOf(0);
    return cell < 0 ? null : { x: (cell % COLUMNS) / COLUMNS, y: Math.floor(cell / COLUMNS) / ROWS };
  }

  /** A small map: seen parts filled, the visible part framed. */
  draw(canvas, sha, rect, colours) {
    const pen = canvas.getContext('2d'), { width, height } = canvas, cells = this.of(sha);
    const w = width / COLUMNS, h = height / ROWS;
    pen.clearRect(0, 0, width, height);
    pen.fillStyle = colours.rest; pen.fillRect(0, 0, width, height);
    pen.fillStyle = colours.seen;
    cells.forEach((cell, at) => { if (cell) pen.fillRect((at % COLUMNS) * w, Math.floor(at / COLUMNS) * h, w + 0.5, h + 0.5); });
    if (!rect) return;
    pen.strokeStyle = colours.frame; pen.lineWidth = 2;
    pen.strokeRect(rect.x * width + 1, rect.y * height + 1, Math.max(2, rect.w * width - 2), Math.max(2, rect.h * height - 2));
  }
}
