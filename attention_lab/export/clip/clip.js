// The last drag as a moving picture: an animated WebP, of which each frame is the page's picture at one pose on the
// way. The figure takes each pose and gives it back within one task, so that nobody sees it move.
import { runsLeft } from '../../figure/browser/direction.js';
import { download, make, makeButton, place } from '../../figure/browser/elements.js';
import { drawn, pictured, picture } from '../../figure/browser/export_image.js';

const MOST = 40, // frames
  EACH = 70, // ms
  LAST = 1500, // ms that the last frame stays
  LARGEST = 1e6, // bytes
  FOOT = 26, // px: room for the address
  SHARPEST = 2, // px for each of the page
  ATTEMPTS = [
    { width: 800, quality: 0.8 },
    { width: 800, quality: 0.55 },
    { width: 640, quality: 0.5 },
    { width: 560, quality: 0.4, every: 2 },
    { width: 400, quality: 0.3, every: 3 },
  ];

// ---- the file: chunks, each with its name, its size and an even number of bytes ----

const little = (value, length) => Uint8Array.from({ length }, (_, k) => value >>> (8 * k));
function chunk(name, ...parts) {
  const body = new Blob(parts);
  return new Blob([name, little(body.size, 4), body, new Uint8Array(body.size % 2)]);
}

// The chunk with the picture itself, of a WebP that stands still.
async function still(file) {
  const data = new DataView(await file.arrayBuffer());
  for (let at = 12; at < data.byteLength; ) {
    const name = String.fromCharCode(...new Uint8Array(data.buffer, at, 4)),
      size = data.getUint32(at + 4, true),
      end = at + 8 + size + (size % 2);
    if (name === 'VP8 ' || name === 'VP8L') return file.slice(at, end);
    at = end;
  }
  throw new Error('no picture in a WebP');
}

// Frames, each { file, lasts }, as one file that plays again and again.
async function animated(frames, width, height) {
  const size = [little(width - 1, 3), little(height - 1, 3)],
    REPLACE = 2; // what was there before, instead of being laid over it
  const parts = frames.map(async ({ file, lasts }) =>
    chunk('ANMF', little(0, 6), ...size, little(lasts, 3), little(REPLACE, 1), await still(file)),
  );
  const head = chunk('VP8X', little(2, 4), ...size),
    repeat = chunk('ANIM', little(0xffffffff, 4), little(0, 2));
  const whole = chunk('RIFF', 'WEBP', head, repeat, ...(await Promise.all(parts)));
  return new Blob([whole], { type: 'image/webp' });
}

// ---- the frames ----

const encoded = (canvas, quality) => new Promise(done => canvas.toBlob(done, 'image/webp', quality));
async function canEncode() {
  const file = await encoded(make(null, 'canvas', { width: 1, height: 1 }), 0.5);
  return file?.type === 'image/webp';
}

// The page's picture at a pose, with the page's address at its foot.
function at(pose, { stage, page }) {
  const { otherPose, root } = stage;
  const show = shown => {
    stage.otherPose = shown;
    stage.requestPaint();
    root.paintNow();
  };
  show(pose);
  for (const badge of root.querySelectorAll('.badge')) badge.style.visibility = ''; // the pose was the reader's own
  const svg = picture(page);
  show(otherPose);
  const [x, y, width, height] = svg.getAttribute('viewBox').split(' ').map(Number),
    { fontFamily, color } = getComputedStyle(root),
    left = runsLeft(),
    text = `${location.host}${location.pathname}`;
  place(svg, { viewBox: [x, y, width, height + FOOT].join(' ') });
  const foot = make('svg', 'text', { x: left ? x + width - 16 : x + 16, y: y + height + 8, fill: color, text }, svg);
  foot.style.cssText = `font: 12px ${fontFamily}; opacity: .75; text-anchor: ${left ? 'end' : 'start'}`;
  return drawn(svg);
}

async function frames(drag) {
  const poses = drag.poses.filter((pose, i, all) => !i || JSON.stringify(pose) !== JSON.stringify(all[i - 1])),
    most = Math.min(MOST, poses.length),
    images = [];
  for (let k = 0; k < most; k++) {
    const { text, width, height } = at(poses[Math.round((k * (poses.length - 1)) / (most - 1))], drag),
      image = Object.assign(new Image(), { src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}` });
    await image.decode();
    images.push({ image, width, height });
  }
  return images;
}

// The clip of a drag, { stage, page, poses }; smaller, coarser and with fewer frames until it is small enough.
export async function clip(drag) {
  const images = await frames(drag),
    across = Math.max(...images.map(each => each.width)),
    down = Math.max(...images.map(each => each.height)),
    ground = getComputedStyle(document.querySelector('.stApp') ?? document.body).backgroundColor;
  for (const { width, quality, every = 1 } of ATTEMPTS) {
    const scale = Math.min(width / across, width / Math.sqrt(across * down), SHARPEST), // a tall one is less wide
      canvas = make(null, 'canvas', { width: Math.round(scale * across), height: Math.round(scale * down) }),
      context = canvas.getContext('2d', { alpha: false }),
      last = images.length - 1,
      taken = images.filter((_, k) => k === last || k % every === 0),
      files = [];
    let bytes = 0;
    for (const each of taken) {
      context.fillStyle = ground;
      context.fillRect(0, 0, canvas.width, canvas.height);
      context.drawImage(each.image, 0, 0, scale * each.width, scale * each.height);
      files.push(await encoded(canvas, quality));
      bytes += files.at(-1).size + 100;
      if (bytes > LARGEST) break;
    }
    if (bytes > LARGEST) continue;
    const shown = files.map((file, k) => ({ file, lasts: k === files.length - 1 ? LAST : every * EACH }));
    return animated(shown, canvas.width, canvas.height);
  }
  throw new Error('a clip that is too large');
}

export function save_clip(host, spec) {
  const row = make(null, 'div', { class: 'keep' }, host),
    say = text => said.replaceChildren(text);
  const button = makeButton(row, { class: 'plain', text: spec.save }, async () => {
    const drag = pictured(spec.page)?.drag;
    if (button.ariaBusy === 'true') return;
    if (drag?.outline !== drag?.stage.outline || !drag) say(spec.nothing);
    else if (!(await canEncode())) say(spec.unable);
    else {
      button.ariaBusy = 'true';
      say(spec.working);
      try {
        download(await clip({ ...drag, page: spec.page }), `${spec.page}.webp`);
      } finally {
        button.ariaBusy = null;
        say('');
      }
    }
  });
  const said = make(null, 'span', { class: 'said', role: 'status' }, row);
}
