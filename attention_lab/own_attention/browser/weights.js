// The weights of a view, a layer at a time: unpacked when they are first asked for. In a file each lies in a script of
// its own; on a page of the course all came as one array (see own_attention.py), and the view knows where each begins.
import { globals } from '../../figure/browser/page_globals.js';

const ARRAYS = { 8: Uint8Array, 16: Uint16Array };

const unpacking = new Map(), // by the view's id and their name: a promise of the numbers
  unpacked = new Map(), // in the same way: the numbers
  patterns = new Map(); // by the view's id and the head
let shownFile; // on a page of the course: the array in which the weights lie

// What was unpacked of another file is forgotten.
function keepOnly(file) {
  if (file === shownFile) return;
  shownFile = file;
  for (const each of [unpacking, unpacked, patterns]) each.clear();
}

function packedBytes({ id, file, places }, name) {
  if (file) return new Uint8Array(globals.arrays.get(file), ...places[name]);
  const letters = atob(document.getElementById(`${id}_${name}`).textContent),
    bytes = new Uint8Array(letters.length);
  for (let k = 0; k < bytes.length; k++) bytes[k] = letters.charCodeAt(k); // a function for each takes far longer
  return bytes;
}

async function unpack(key, bytes, bits) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')),
    numbers = new ARRAYS[bits](await new Response(stream).arrayBuffer());
  unpacked.set(key, numbers);
}

// Numbers of a view; null while they are on their way, and then `arrived` is called.
export function numbersOf(view, name, bits, arrived) {
  keepOnly(view.file);
  const key = `${view.id}_${name}`;
  if (unpacked.has(key)) return unpacked.get(key);
  if (!unpacking.has(key)) unpacking.set(key, unpack(key, packedBytes(view, name), bits));
  unpacking.get(key).then(arrived, reportError);
  return null;
}

// The key to which a query of a head gives most weight; -1 where it gives none, undefined while it is on its way.
const NONE = 65535;
export function strongestKey(view, k, query, arrived) {
  const key = numbersOf(view, 'strongest', 16, arrived)?.[k * view.queries.length + query];
  return key === NONE ? -1 : key;
}

// Where a head stands among all heads of a kind: its layer, and its number there.
export function placeOf(heads, k) {
  let layer = 0,
    head = k;
  while (head >= heads[layer]) head -= heads[layer++];
  return { layer, head };
}

// A pattern: a row for each query, a column for each key. What two runs differ by is `signed`: from −1 to 1.
class Pattern {
  constructor(numbers, rows, columns, most, signed) {
    Object.assign(this, { numbers, rows, columns, most, signed });
  }
  at(row, column) {
    const part = this.numbers[row * this.columns + column] / this.most;
    return this.signed ? 2 * part - 1 : part;
  }
  row(row) {
    return Array.from({ length: this.columns }, (_, column) => this.at(row, column));
  }
  column(column) {
    return Array.from({ length: this.rows }, (_, row) => this.at(row, column));
  }
  // A picture of it with at most so many rows and columns: of each block the number that is furthest from 0. Of a mean,
  // and of every third column, a diagonal would be gone.
  reduced(mostRows, mostColumns) {
    if (mostRows >= this.rows && mostColumns >= this.columns) return this;
    const [rows, columns] = [Math.min(mostRows, this.rows), Math.min(mostColumns, this.columns)],
      zero = this.signed ? this.most / 2 : 0,
      found = new this.numbers.constructor(rows * columns).fill(zero),
      blocks = Array.from({ length: this.columns }, (_, column) => blockOf(column, this.columns, columns));
    for (let row = 0, k = 0; row < this.rows; row++) {
      const start = columns * blockOf(row, this.rows, rows);
      for (let column = 0; column < this.columns; column++, k++) {
        const at = start + blocks[column];
        if (Math.abs(this.numbers[k] - zero) > Math.abs(found[at] - zero)) found[at] = this.numbers[k];
      }
    }
    return new Pattern(found, rows, columns, this.most, this.signed);
  }
}
// Block k of `count` begins at place ⌊k n / count⌋ of n, as `thumbnail` in packing.py has it.
const blockOf = (place, n, count) => Math.ceil(((place + 1) * count) / n) - 1;

export const patternFrom = (...of) => new Pattern(...of);

// The pattern of a head, of a view `{ id, bits, heads, queries, keys }`; null while it is on its way.
export function patternOf(view, k, arrived) {
  keepOnly(view.file);
  const name = `${view.id} ${k}`;
  if (!patterns.has(name)) {
    const { layer, head } = placeOf(view.heads, k),
      numbers = numbersOf(view, layer, view.bits, arrived),
      [rows, columns] = [view.queries.length, view.keys.length],
      size = rows * columns;
    if (!numbers) return null;
    const own = numbers.subarray(head * size, (head + 1) * size);
    patterns.set(name, patternFrom(own, rows, columns, view.most, view.signed));
  }
  return patterns.get(name);
}
