// The pattern of the head that is shown as a picture for a paper, or as a table.
import { download, make, makeButton } from '../../figure/browser/elements.js';
import { assembled, drawn, pixels } from '../../figure/browser/export_image.js';
import { LINES } from './head_lines.js';
import { coloursOf, drawShades, lessColours, shade, shadesOf, shownPattern, shownView } from './own_shared.js';

const CELL = 16, // px
  NAMES = 90, // px for names
  EDGE = 12, // px beside the cells
  NAMED = 80, // tokens: of more, the picture has pixels without names
  WIDE = 1280, // px of such a picture, or a pixel for each cell
  SHARP = 3; // pixels of a picture for each px

const escaped = text => text.replace(/[&<>"]/g, sign => `&#${sign.charCodeAt(0)};`);
const printed = text => text.replace(/^␣(?=.)/, ''); // the space before a word
const quoted = text => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`; // no formula

const fillOf = ([red, green, blue]) => ` fill="rgb(${red} ${green} ${blue})"`;

// A picture of its own: squares, and the names of both sides.
function squares(view, pattern, more, less) {
  const { rows, columns } = pattern,
    cells = [];
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const weight = pattern.at(row, column);
      if (weight)
        cells.push(
          `<rect x="${NAMES + column * CELL}" y="${NAMES + row * CELL}" width="${CELL}" height="${CELL}" ` +
            `fill-opacity="${shade(Math.abs(weight)).toFixed(3)}"${weight < 0 ? fillOf(less) : ''}>` +
            `<title>${(100 * weight).toFixed(1)}%</title></rect>`,
        );
    }
  const name = (text, x, y, turn) =>
      `<text transform="translate(${x} ${y})${turn}" text-anchor="${turn ? 'start' : 'end'}">${escaped(text)}</text>`,
    names = [
      ...view.queries.map((text, k) => name(printed(text), NAMES - 5, NAMES + (k + 0.72) * CELL, '')),
      ...view.keys.map((text, k) => name(printed(text), NAMES + (k + 0.72) * CELL, NAMES - 5, ' rotate(-90)')),
    ],
    [width, height] = [columns * CELL, rows * CELL],
    frame = `<rect x="${NAMES}" y="${NAMES}" width="${width}" height="${height}" fill="none" stroke="#888"/>`;
  const inner = [
    `<g${fillOf(more)}>${cells.join('')}</g>${frame}`,
    `<g font-family="'Source Sans 3', Arial, sans-serif" font-size="12">${names.join('')}</g>`,
  ];
  return { inner: inner.join('\n'), width: NAMES + width + EDGE, height: NAMES + height + EDGE, sharp: SHARP };
}

// The same of a long text, in which a node for each cell would be millions: an image with a pixel for each.
async function image(pattern, shades) {
  const { rows, columns } = pattern,
    size = Math.max(1, Math.floor(WIDE / Math.max(rows, columns))),
    [width, height] = [size * columns, size * rows],
    canvas = new OffscreenCanvas(columns, rows),
    reader = new FileReader();
  drawShades(canvas, columns, rows, (i, j) => pattern.at(i, j), shades);
  reader.readAsDataURL(await canvas.convertToBlob());
  await new Promise(done => reader.addEventListener('load', done));
  const about = `width="${width}" height="${height}" style="image-rendering: pixelated"`;
  return { inner: `<image ${about} href="${reader.result}"/>`, width, height, sharp: 1 };
}

async function svgOf(view, pattern, title, element) {
  const isNamed = Math.max(pattern.rows, pattern.columns) <= NAMED,
    picture = isNamed
      ? squares(view, pattern, coloursOf(element), lessColours(element))
      : await image(pattern, shadesOf(element)),
    { width, height } = picture;
  const text = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title>${escaped(title)}</title><rect width="100%" height="100%" fill="white"/>`,
    `${picture.inner}</svg>`,
  ].join('\n');
  return { ...picture, text };
}

// A row for each query, a column for each key; the first row and the first column are the tokens.
function csvOf(view, pattern) {
  const lines = view.queries.map((name, row) => [quoted(name), ...pattern.row(row).map(weight => weight.toFixed(4))]);
  return [['""', ...view.keys.map(quoted)], ...lines].map(line => line.join(',')).join('\n');
}

// spec: { title }
export function save_head(host, spec, stage) {
  const row = make(null, 'div', { class: 'save-head', role: 'group', 'aria-label': spec.title }, host);
  make(null, 'span', { text: spec.title }, row);
  const save = (kind, blobOf) =>
    makeButton(row, { class: 'plain small', text: kind }, async () => {
      const view = shownView(stage.scope),
        pattern = shownPattern(stage, stage.scope);
      if (!pattern) return;
      download(
        await blobOf(view, pattern, view.titles[stage.scope.head]),
        `attention_${view.names[stage.scope.head]}.${kind.toLowerCase()}`,
      );
    });
  const picture = (view, pattern, title) => {
    const lines = host.getRootNode().querySelector('.head-lines > div:not([hidden])'); // none of a long text
    return stage.scope.form === LINES && lines
      ? { ...drawn(assembled([lines], title)), sharp: SHARP }
      : svgOf(view, pattern, title, row);
  };
  save('SVG', async (...of) => new Blob([(await picture(...of)).text], { type: 'image/svg+xml' }));
  save('PNG', async (...of) => {
    const made = await picture(...of);
    return pixels(made, made.sharp);
  });
  save('CSV', (view, pattern) => new Blob([csvOf(view, pattern)], { type: 'text/csv' }));
  return () => {};
}
