// A page that stands alone, in a file or in a folder of files: it reads its link, draws its figure, and answers what a
// hand has moved, as Python does for a page of the app.
const text = id => document.getElementById(id).textContent;
const readJson = id => JSON.parse(text(id));
const bytes = letters => Uint8Array.from(atob(letters), letter => letter.charCodeAt(0));
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

const NUMBER = /^-?\d{1,30}(\.\d{1,30})?(e-?\d{1,3})?$/,
  WHOLE = /^-?\d{1,20}$/,
  CHARACTER = /_([0-9a-f]{1,6})_/g; // how a link writes what is no letter and no digit
const decode = written => written.replace(CHARACTER, (_, code) => String.fromCodePoint(parseInt(code, 16)));

function readNumber(written, { bounds: [low, high], whole }) {
  const number = (whole ? WHOLE : NUMBER).test(written) ? Number(written) : NaN;
  if (!(low <= number && number <= high)) throw new RangeError(written);
  return number;
}

// One setting of a link; an error where the app would refuse it.
function readSetting(written, field) {
  if (field.options) {
    const found = field.options.findIndex(option => option === written || decode(option) === written);
    if (found < 0) throw new RangeError(written);
    return found;
  }
  if (!field.shape) return readNumber(written, field);
  const rows = written.split('__').map(row => row.split('_').map(number => readNumber(number, field))),
    [height, width] = field.shape;
  const isWrong = rows.length !== (height ?? rows.length) || rows.some(row => row.length !== (width ?? row.length));
  if (isWrong) throw new RangeError(written);
  return rows;
}

// A setting's value where the link has none: it may depend on others, which have been read before it.
function defaultOf({ default: usual, by, values, of, rows }, pose) {
  if (!by) return structuredClone(usual);
  return structuredClone(values ? values[pose[by]] : [pose[of][rows[pose[by]]]]);
}

// { pose, refused } of a link's parameters; `refused` names the settings that can't be opened here. Where there are
// any, the pose is not what the link says.
export function readLink(parameters, { fields, fixed }) {
  const pose = {},
    moved = new Set(),
    given = new Map(parameters);
  const isRepeated = name => parameters.filter(([each]) => each === name).length > 1,
    isOther = (name, written) => written !== fixed[name] && written !== decode(fixed[name]),
    refused = Object.keys(fixed).filter(name => given.has(name) && isOther(name, given.get(name)));
  for (const [name, field] of Object.entries(fields)) {
    const { depends = [], by, of, options_by: options } = field;
    pose[name] = defaultOf(field, pose);
    if (depends.some(each => each !== by && each !== of && moved.has(each))) refused.push(name);
    else if (isRepeated(name)) refused.push(name);
    else if (given.has(name)) {
      const usual = pose[name];
      try {
        pose[name] = readSetting(given.get(name), options ? { ...field, options: options[pose[by]] } : field);
        if (!same(pose[name], usual)) moved.add(name);
      } catch {
        refused.push(name);
      }
    }
  }
  return { pose, refused };
}

// Where numbers come from: they are the reader's where any that a badge speaks of has another value than its default.
function provenanceOf(pose, badges, { fields }) {
  const isMoved = name => Object.hasOwn(fields, name) && !same(pose[name], defaultOf(fields[name], pose));
  return Object.fromEntries(
    Object.entries(badges).map(([of, usual]) => [of, of.split(' ').some(isMoved) ? 'yours' : usual]),
  );
}

function change(data, changes) {
  for (const [path, ...value] of changes) {
    const last = path.at(-1),
      place = path.slice(0, -1).reduce((inner, name) => inner[name], data);
    if (value.length) place[last] = structuredClone(value[0]);
    else delete place[last];
  }
}

// The figure's payload for a pose: for what is chosen in it, and where a hand has moved anything.
export function payloadFor(pose, payload, { link, choices: { base, together, changes } }) {
  const data = structuredClone({ ...payload, pose });
  change(data, base);
  for (const names of together) change(data, changes[names.map(name => `${name} ${pose[name]}`).join(' ')] ?? []);
  data.provenance = provenanceOf(pose, data.provenance, link);
  return data;
}

async function unpack(id) {
  const stream = new Blob([bytes(text(id))]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).text();
}

// The parameters of a link, but for those that say how, and not what, the page shows.
const HOW = new Set(['embed', 'embed_options', 'lang', 'present']);
const parametersOf = query => [...new URLSearchParams(query)].filter(([name]) => !HOW.has(name));

// The URL that a link leads to instead: of the page in the language that it asks for, where the folder has it, and with
// what stands behind the # as what a link holds.
function redirect(query) {
  const code = new URLSearchParams(query).get('lang') ?? '',
    other = code && document.querySelector(`nav a[lang="${CSS.escape(code)}"]:not([aria-current])`);
  return other || (query && !location.search) ? new URL(`?${query}`, other?.href ?? location.href) : null;
}

export async function start() {
  const query = location.search.slice(1) || (location.hash.includes('=') ? location.hash.slice(1) : ''),
    parameters = parametersOf(query),
    target = redirect(query);
  if (target) {
    location.replace(target);
    return;
  }
  const payload = readJson('payload'),
    standalone = JSON.parse(await unpack('standalone')),
    { link, arrays, notices } = standalone,
    { own } = payload;
  globalThis.attention_lab ??= { waiting: [], modules: {}, styles: {} };
  const shelf = globalThis.attention_lab;
  const parentElement = document
    .getElementById('figure')
    .attachShadow({ mode: 'open' })
    .appendChild(document.createElement('div'));
  shelf.arrays = new Map(Object.entries(arrays).map(([id, letters]) => [id, bytes(letters).buffer]));
  if (document.getElementById('code')) {
    const code = document.createElement('script');
    code.type = 'module'; // put in as text: a file opened from a disk may load no module by its address
    code.textContent = await unpack('code');
    document.head.append(code);
  }

  let data = payload;
  function show(pose, version = data.version, completed_goals = data.completed_goals) {
    const search = location.search.slice(1) || payload.search; // what the stage has written there
    data = { ...payloadFor(pose, payload, standalone), version, completed_goals, search };
    shelf.modules.stage.showStage({ ...component, data: JSON.stringify(data) }, style);
  }
  const notice = document.getElementById('notice');
  function showNotice(sentence, names = []) {
    const code = document.createElement('code');
    code.textContent = notices.command;
    const fills = { '{command}': code, '{settings}': names.join(', ') };
    notice.replaceChildren(...sentence.split(/(\{\w+\})/).map(piece => fills[piece] ?? piece));
    notice.hidden = false;
  }
  function openLink(parametersNow) {
    const { pose, refused } = readLink(parametersNow, link);
    notice.hidden = true;
    if (!refused.length) return pose;
    showNotice(notices.link, refused);
    return payload.pose;
  }
  // The events of the stage are numbered: what is answered bears the number of the last.
  function answer(events) {
    let { pose } = data;
    const goals = new Set(data.completed_goals);
    for (const [number, event] of events) {
      if (number <= data.version) continue;
      if (event.link !== undefined) pose = openLink(parametersOf(event.link));
      if (event.example !== undefined) showNotice(notices.example);
      pose = { ...pose, ...event.move };
      for (const goal of event.goals ?? []) goals.add(goal);
    }
    show(pose, events.at(-1)?.[0], [...goals]);
  }
  const component = {
    parentElement,
    openPage: page => document.querySelector(`nav [data-page="${page}"]`).click(),
    setStateValue: (_, events) => setTimeout(answer, 0, events),
    setTriggerValue() {},
  };
  while (!(own in shelf.styles && shelf.words)) await new Promise(wake => shelf.waiting.push(wake));
  const style = shelf.styles[''] + (own && shelf.styles[own]);
  show(parameters.length ? openLink(parameters) : payload.pose);
}
