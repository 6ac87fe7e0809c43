// A page's calculation as steps of [name, operation, arguments], recorded in Python. Python runs the same steps with
// attention_core; here they run at every frame with mathematics.js. An argument is { of: path } or { is: number }.
import * as mathematics from './mathematics.js';

const operations = { ...mathematics };

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
export const calculated = ({ data, pose }, other = pose) => calculate(data.calculation, { ...data.given, ...other });

export function calculate(steps, scope) {
  for (const [name, operation, parameters] of steps) {
    if (!(operation in operations)) throw unknown(operation, Object.keys(operations));
    scope[name] = operations[operation](...parameters.map(p => ('of' in p ? find(scope, p.of) : p.is)));
  }
  return scope;
}
