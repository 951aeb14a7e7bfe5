// The markup of the viewer. Text that comes from outside goes in by textContent only.
export function build(root) {
  const wrap = document.createElement('div');
  wrap.className = 'viewer'; wrap.tabIndex = -1;
  wrap.innerHTML = `
<div class="bar" role="toolbar" aria-label="How the pages are compared">
  <span class="group modes" role="group" aria-label="View">
    <button data-mode="side">Side by side<kbd>1</kbd></button><button data-mode="swipe">Swipe<kbd>2</kbd></button><button data-mode="onion">Onion<kbd>3</kbd></button><button data-mode="blink">Blink<kbd>4</kbd></button><button data-mode="difference">Difference<kbd>5</kbd></button><button data-mode="changes">Changes<kbd>6</kbd></button><button data-mode="heat">Heat<kbd>7</kbd></button>
  </span>
  <span class="grow"></span>
  <span class="group" role="group" aria-label="Zoom">
    <button data-do="out" aria-label="Zoom out">−</button><button data-do="fit">Fit<kbd>0</kbd></button><button data-do="full"><span class="percent">100%</span><kbd>9</kbd></button><button data-do="in" aria-label="Zoom in">+</button>
  </span>
</div>
<div class="bar second">
  <span class="group" role="group" aria-label="Changes"><button data-do="previous" aria-label="Previous change">‹<kbd>p</kbd></button><button data-do="next" class="next"><span class="words">Next change</span><kbd>n</kbd></button></span>
  <button data-do="read">Read on<kbd>Space</kbd></button>
  <button data-do="pin">Pin a note<kbd>t</kbd></button>
  <button data-do="offset" aria-pressed="false" title="Move one page alone, then keep that offset"><span class="words">Offset</span><kbd>o</kbd></button>
  <button data-do="wide" aria-pressed="false">Full window<kbd>f</kbd></button>
  <input class="mix" type="range" min="0" max="100" value="50" aria-label="Split or opacity" hidden>
</div>
<div class="captions"><span class="from"><span class="left"></span></span><span class="to"><span class="right"></span><span class="grow"></span><span class="seen" role="status"></span><canvas class="map" width="128" height="72" role="img" aria-label="Which parts of this page have been seen at full resolution"></canvas></span></div>
<div class="stage" tabindex="0" role="group" aria-label="Original and render. Arrow keys pan, plus and minus zoom.">
  <div class="pane a"><div class="osd"></div><svg class="marks"></svg><p class="failed" role="alert" hidden></p></div>
  <div class="pane b"><div class="osd"></div><svg class="marks"></svg><div class="divider" hidden></div><p class="side" hidden></p><p class="failed" role="alert" hidden></p></div>
</div>
<form class="note" hidden>
  <label>What should its author do? <textarea rows="2" maxlength="2000" required></textarea></label>
  <span class="row">
    <label>as <select class="kind"><option value="repair">repair request</option><option value="invented">invented element</option></select></label>
    <label>axis <select class="axis"></select></label>
    <span class="grow"></span>
    <button type="button" class="cancel">Cancel <kbd>Esc</kbd></button><button type="submit" class="save">Pin <kbd>Ctrl ↵</kbd></button>
  </span>
</form>
<p class="aid"></p>
<div class="strip" role="listbox" aria-label="Pages of the pack"></div>`;
  root.appendChild(wrap);
  return wrap;
}

export function el(tag, cls, words) {
  const node = document.createElement(tag);
  if (cls) node.className = cls;
  if (words !== undefined) node.textContent = words;
  return node;
}

/** The aid line: where to look, in words. Labelled as an aid, since no verdict reads it. */
export function aidWords(comparison, changes, current) {
  if (!comparison) return 'Comparing …';
  if (comparison.error) return `Not compared: ${comparison.error}`;
  const parts = [];
  const change = changes[current];
  if (change) parts.push(describe(change, current, changes.length));
  else parts.push(changes.length ? `${changes.length} change${changes.length > 1 ? 's' : ''} found` : 'No change found');
  if (comparison.shift) parts.push(`the render lies ${comparison.shift.x}, ${comparison.shift.y} px off`);
  const worst = comparison.worst_tiles && comparison.worst_tiles[0];
  if (worst && worst[2] < 0.995) parts.push(`worst tile SSIM ${worst[2].toFixed(2)} at ${worst[0]}, ${worst[1]}`);
  parts.push(`${(100 * comparison.changed).toFixed(2)}% of pixels differ`);
  parts.push(...comparison.notes);
  return `${parts.join(' · ')}. An aid to looking; no verdict reads it.`;
}

function describe(change, at, of) {
  const place = `change ${at + 1} of ${of} at ${change.x}, ${change.y} (${change.width}×${change.height} px)`;
  if (change.what === 'shift') return `change ${at + 1} of ${of}: the whole page is moved`;
  if (change.what === 'alike') return `${place}: alike here, changed on page ${change.also.join(', ')}`;
  return `${place}, SSIM ${change.ssim.toFixed(2)}${change.also.length ? `, also on page ${change.also.join(', ')}` : ''}`;
}
