// A page's calculation as steps of [name, operation, arguments], recorded in Python. Python runs the same steps with
// attention_core; here mathematics.js runs, at every frame, those whose results are asked for and whose inputs have
// changed. An argument is { of: path } or { is: number }.
import * as mathematics from './mathematics.js';
import * as models from './models.js';

// A lesson's own are added when its script arrives (see browser_code.py).
export const operations = { ...mathematics, ...models };

const unknown = (name, known) => new Error(`unknown '${name}'; known are: ${known.join(', ')}`);

// A path leads from the scope to a value: a name, or a list of a name and then keys and places; a list in it is itself
// a path, to the place meant (['dot', ['word'], ['other']]). A name or a key that is not there is a mistake.
export function find(scope, path) {
  if (path === undefined || path === null) return undefined;
  if (!Array.isArray(path)) path = [path];
  if (!(path[0] in scope)) throw unknown(path[0], Object.keys(scope));
  let value = scope[path[0]];
  for (let i = 1; i < path.length; i++) {
    const step = Array.isArray(path[i]) ? find(scope, path[i]) : path[i];
    if (typeof step === 'string' && value && !(step in value)) throw unknown(step, Object.keys(value));
    value = value?.[step];
  }
  return value;
}

// All that follows from a stage's pose, or from another in its place.
export const calculateAll = ({ data, pose }, other = pose) =>
  calculate(data.calculation, { ...data.constants, ...other });

// An author reads it in the figure's place, and in the terminal.
function requireOperation(name) {
  if (name in operations) return;
  const fault = new Error(
    `the operation '${name}' has no twin for the browser: write \`export const ${name} = …\` in operations.js ` +
      'beside the operations.py of its lesson; one that several lessons use is in ' +
      'attention_lab/figure/browser/mathematics.js.',
  );
  throw Object.assign(fault, { sentence: fault.message });
}

const run = (scope, operation, parameters) =>
  operations[operation](...parameters.map(p => ('of' in p ? find(scope, p.of) : p.is)));

export function calculate(steps, scope) {
  for (const [name, operation, parameters] of steps) {
    requireOperation(operation);
    scope[name] = run(scope, operation, parameters);
  }
  return scope;
}

// The names that a path leads through.
const namesIn = path =>
  Array.isArray(path)
    ? [path[0], ...path.slice(1).flatMap(step => (Array.isArray(step) ? namesIn(step) : []))]
    : [path];

const copy = value => (Array.isArray(value) ? value.map(copy) : value);
const same = (a, b) =>
  a === b ||
  (Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((x, i) => same(x, b[i]))) ||
  (Number.isNaN(a) && Number.isNaN(b));

// Makes the function that computes a stage's scope at each frame: a step is calculated once something asks for its
// result, and again only if what it is made of has changed. A value counts as another once its `stamp` is.
export function createLazyCalculation() {
  let steps = null,
    constants = null,
    stamps = 0,
    known = new Map(); // name → { value, stamp, from: the stamps of what it was made of }
  const needed = new Map(); // step → the names that it is made of
  return ({ data, pose }, other = pose) => {
    if (data.calculation !== steps) {
      [steps, known] = [data.calculation, new Map()];
      needed.clear();
      for (const [name, operation, parameters] of steps) {
        requireOperation(operation);
        needed.set(name, [...new Set(parameters.flatMap(p => ('of' in p ? namesIn(p.of) : [])))]);
      }
    }
    const scope = { ...data.constants, ...other },
      inputs = constants === data.constants ? other : scope;
    constants = data.constants;
    for (const name in inputs)
      if (!known.has(name) || !same(known.get(name).value, scope[name]))
        known.set(name, { value: copy(scope[name]), stamp: ++stamps });
    const put = (name, value) => Object.defineProperty(scope, name, { value, writable: true });
    for (const [name, operation, parameters] of steps)
      Object.defineProperty(scope, name, {
        configurable: true,
        enumerable: true,
        set: value => put(name, value),
        get() {
          const from = needed.get(name).map(each => {
            void scope[each]; // calculated before its stamp is read
            return known.get(each)?.stamp;
          });
          const before = known.get(name);
          if (before && same(before.from, from)) {
            put(name, before.value);
            return before.value;
          }
          const value = run(scope, operation, parameters),
            stamp = before && typeof value !== 'object' && Object.is(value, before.value) ? before.stamp : ++stamps;
          known.set(name, { value, stamp, from });
          put(name, value);
          return value;
        },
      });
    return scope;
  };
}
