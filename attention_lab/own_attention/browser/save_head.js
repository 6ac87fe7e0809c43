// The pattern of the head that is shown as a picture for a paper, or as a table.
import { download, make, makeButton } from '../../figure/browser/elements.js';
import { assembled, drawn, pixels } from '../../figure/browser/export_image.js';
import { LINES } from './head_lines.js';
import { coloursOf, lessColours, shade, shownPattern, shownView } from './own_shared.js';

const CELL = 16, // px
  NAMES = 90, // px for names
  NAMED = 80, // tokens: more have no names
  SHARP = 3; // pixels of a picture for each px

const escaped = text => text.replace(/[&<>"]/g, sign => `&#${sign.charCodeAt(0)};`);
const quoted = text => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`; // no formula

const fillOf = ([red, green, blue]) => ` fill="rgb(${red} ${green} ${blue})"`;

// A picture of its own: squares, and the names of both sides where there is room.
function svgOf(view, pattern, title, more, less) {
  const { rows, columns } = pattern,
    isNamed = Math.max(rows, columns) <= NAMED,
    edge = isNamed ? NAMES : 0,
    [wide, tall] = [edge + columns * CELL, edge + rows * CELL],
    cells = [];
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const weight = pattern.at(row, column);
      if (weight)
        cells.push(
          `<rect x="${edge + column * CELL}" y="${edge + row * CELL}" width="${CELL}" height="${CELL}" ` +
            `fill-opacity="${shade(Math.abs(weight)).toFixed(3)}"${weight < 0 ? fillOf(less) : ''}>` +
            `<title>${(100 * weight).toFixed(1)}%</title></rect>`,
        );
    }
  const name = (text, x, y, turn) =>
      `<text transform="translate(${x} ${y})${turn}" text-anchor="${turn ? 'start' : 'end'}">${escaped(text)}</text>`,
    names = isNamed
      ? [
          ...view.queries.map((text, k) => name(text, edge - 5, edge + (k + 0.72) * CELL, '')),
          ...view.keys.map((text, k) => name(text, edge + (k + 0.72) * CELL, edge - 5, ' rotate(-90)')),
        ]
      : [];
  const text = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${tall}" viewBox="0 0 ${wide} ${tall}">`,
    `<title>${escaped(title)}</title><rect width="100%" height="100%" fill="white"/>`,
    `<g${fillOf(more)}>${cells.join('')}</g>`,
    `<g font-family="Source Sans 3, Arial, sans-serif" font-size="12">${names.join('')}</g></svg>`,
  ].join('\n');
  return { text, width: wide, height: tall };
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
  const linesOf = title => drawn(assembled([host.getRootNode().querySelector('.head-lines > div')], title));
  const picture = (view, pattern, title) =>
    stage.scope.form === LINES ? linesOf(title) : svgOf(view, pattern, title, coloursOf(row), lessColours(row));
  save('SVG', (...of) => new Blob([picture(...of).text], { type: 'image/svg+xml' }));
  save('PNG', (...of) => pixels(picture(...of), SHARP));
  save('CSV', (view, pattern) => new Blob([csvOf(view, pattern)], { type: 'text/csv' }));
  return () => {};
}
