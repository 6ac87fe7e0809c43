// A page that stands alone, in a file or in a folder of files: it reads its link, draws its figure, and answers what a
// hand has moved or chosen, as Python does for a page of the app.
import { cleanWord, readNumber, usualSigns } from '../figure/browser/typed_text.js';
import { arrivedStyle, bytes, isOutdated, openShelf, placeFigure, text, unpack } from '../html_file/open_figure.js';
import { questionBox, questionsInSight, verdictOn } from './questions.js';

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

const WHOLE = /^\d{1,20}$/,
  CHARACTER = /_([0-9a-f]{1,6})_/g; // how a link writes what is no letter and no digit
const decode = (letters, code) => (parseInt(code, 16) > 0x10ffff ? letters : String.fromCodePoint(parseInt(code, 16)));
const readable = written => cleanWord(written.replace(CHARACTER, decode));
const isWritten = (value, spellings) =>
  spellings.some(written => written === value || [readable(written), usualSigns(written)].includes(readable(value)));

const readBounded = (written, [low, high, whole]) => {
  const number = readNumber(written);
  return low <= number && number <= high && (!whole || Number.isInteger(number)) ? number : NaN;
};

function readMatrix(written, { columns, shape, most, each_once }) {
  const cell = (number, k) => readBounded(number, columns[Math.min(k, columns.length - 1)]),
    rows = written.split('__').map(row => row.split('_').map(cell)),
    all = rows.flat(),
    fits = (count, k) => (shape[k] === null ? count <= most : count === shape[k]),
    isRight =
      [rows.length, rows[0].length].every(fits) &&
      rows.every(row => row.length === rows[0].length) &&
      !all.some(Number.isNaN) &&
      !(each_once && new Set(all).size < all.length);
  return isRight ? rows : NaN;
}

// One setting of a link, by the rules by which Python reads it (permalink.py); NaN where the app would refuse it.
function readSetting(written, { options, rules }) {
  if (rules?.shape) return readMatrix(written, rules);
  if (rules) return readBounded(written, rules.columns[0]);
  const found = options.findIndex(option => isWritten(option, [written]));
  return found < 0 ? NaN : found;
}

// A field with the options and the shape that it has beside settings that have been read before it.
function fieldBeside(field, pose) {
  const { by, options_by, same_as, places, rules } = field;
  if (places) return { options: pose[places][0].map((_, k) => String(k + 1)) };
  if (same_as) return { rules: { ...rules, shape: [pose[same_as].length, pose[same_as][0].length] } };
  return options_by ? { options: options_by[pose[by]] } : field;
}

// A setting's value where the link has none: it may depend on others, which have been read before it.
function defaultOf({ default: usual, by, values, of, rows, same_as, places }, pose) {
  if (same_as) return structuredClone(pose[same_as]);
  if (places) return pose[places][0].length - 1;
  if (!by) return structuredClone(usual);
  return structuredClone(values ? values[pose[by]] : [pose[of][rows[pose[by]]]]);
}

const isSetting = (name, { fields, fixed }) => Object.hasOwn(fields, name) || Object.hasOwn(fixed, name);

// What stands in a link without what it may have brought of the sentence that it stood in.
function withoutEnd(written, { closing }) {
  const letters = [...written];
  return letters.slice(0, letters.findLastIndex(letter => !closing.includes(letter)) + 1).join('');
}

// The parameters of a link, each with the spellings of its value: of the last one there may be two. Left out are those
// of trackers, and those that say how, and not what, the page shows.
const HOW = ['lang', 'present'];
export function parametersOf(query, link) {
  const isTracker = name =>
    link.trackers.some(each => (each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : name === each));
  const all = [...new URLSearchParams(query)].filter(
    ([name]) => isSetting(name, link) || !isTracker(name.toLowerCase()),
  );
  if (all.length) all.at(-1).push(withoutEnd(all.at(-1)[1], link));
  return all.filter(([name]) => !HOW.includes(name));
}

// { pose, predicts, refused, damaged } of a link's parameters: `predicts` says whether the reader wants to predict,
// `damaged` names the settings that the app would not read either, `refused` those that can't be opened here. Where
// there are any of these, the pose is not what the link says.
export function readLink(parameters, link) {
  const { fields, fixed, longest } = link,
    pose = {},
    moved = new Set(),
    isLong = parameters.reduce((sum, [name, written]) => sum + name.length + written.length + 2, 0) > longest,
    given = new Map(isLong ? [] : parameters.map(([name, ...spellings]) => [name, spellings])),
    isRepeated = name => parameters.filter(([each]) => each === name).length > 1,
    names = [...new Set(parameters.map(([name]) => name))],
    damaged = isLong ? names : names.filter(name => !isSetting(name, link) || isRepeated(name)),
    isOther = name => given.has(name) && !damaged.includes(name) && !isWritten(fixed[name], given.get(name)),
    refused = Object.keys(fixed).filter(isOther);
  for (const [name, field] of Object.entries(fields)) {
    const { depends = [], by, of, same_as } = field;
    pose[name] = defaultOf(field, pose);
    if (!given.has(name) || damaged.includes(name)) continue;
    // Numbers of places mean the same, whatever words have been put there.
    const isPlace = field.options?.every(option => WHOLE.test(option)),
      isUnknown = !isPlace && depends.some(each => ![by, of, same_as].includes(each) && moved.has(each)),
      isMoved = field.fixed !== undefined && !isWritten(field.fixed, given.get(name));
    if (isUnknown || isMoved) {
      refused.push(name);
      continue;
    }
    const here = fieldBeside(field, pose),
      readings = given.get(name).map(written => readSetting(written, here)),
      read = readings.find(value => !Number.isNaN(value));
    if (read === undefined) damaged.push(name);
    else if (!same(read, pose[name])) {
      pose[name] = read;
      moved.add(name);
    }
  }
  const { predict, ...ofFigure } = pose;
  return { pose: ofFigure, predicts: predict > 0, refused, damaged };
}

// The variant of the page that a link's parameters lead to; none where its settings are not among them.
export function variantOf(parameters, { settings, variants }) {
  const given = parameters.filter(([name]) => Object.hasOwn(settings, name));
  return variants.find(each => given.every(([name, ...spellings]) => isWritten(each.settings[name] ?? '', spellings)));
}

// The variant with another value of a setting that keeps most of the other settings.
export function chooseVariant(name, value, current, variants) {
  const kept = each => Object.keys(current).filter(other => each.settings[other] === current[other]).length,
    found = variants.filter(each => isWritten(each.settings[name] ?? '', [value]));
  return found.sort((a, b) => kept(b) - kept(a))[0];
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

// The figure's payload for a pose: for what is chosen in it, and where a hand has moved anything; while the question
// of a number is open, or none is.
export function payloadFor(pose, payload, { link, choices: { base, together, changes } }, open_question = 0) {
  const data = structuredClone({ ...payload, pose }),
    chosen = { ...pose, open_question };
  change(data, base);
  for (const names of together) change(data, changes[names.map(name => `${name} ${chosen[name]}`).join(' ')] ?? []);
  data.provenance = provenanceOf(pose, data.provenance, link);
  for (const [name, field] of Object.entries(link.fields))
    if (field.places) data.address[name] = fieldBeside(field, pose).options;
  return data;
}

// The URL that a link leads to instead: of the page in the language that it asks for, where the folder has it, and with
// what stands behind the # as what a link holds.
function redirect(query, link) {
  const code = withoutEnd(new URLSearchParams(query).get('lang') ?? '', link),
    other = code && document.querySelector(`nav a[lang="${CSS.escape(code)}"]:not([aria-current])`);
  return other || (query && !location.search) ? new URL(`?${query}`, other?.href ?? location.href) : null;
}

export async function start() {
  if (isOutdated()) return;
  const query = location.search.slice(1) || (location.hash.includes('=') ? location.hash.slice(1) : ''),
    standalone = JSON.parse(await unpack(text('standalone'))),
    target = redirect(query, standalone.link);
  if (target) {
    location.replace(target);
    return;
  }
  const payload = JSON.parse(text('payload')),
    { link, choices, arrays, notices, questions: texts, turns, folder, files, settings, variants } = standalone,
    first = { payload, link, choices, arrays, article: document.querySelector('article').innerHTML },
    parameters = parametersOf(query, link),
    shelf = openShelf();
  shelf.files = files;
  shelf.arrays = new Map();
  const parentElement = await placeFigure();

  function filledNotice(sentence, fills = {}) {
    const command = document.createElement('code'),
      all = { '{command}': command, ...fills },
      result = document.createDocumentFragment();
    command.textContent = notices.command;
    result.append(...sentence.split(/(\{\w+\})/).map(piece => all[piece] ?? piece));
    return result;
  }
  const notice = document.getElementById('notice');
  function showNotice(sentence, fills) {
    notice.replaceChildren(filledNotice(sentence, fills));
    notice.hidden = false;
  }
  const isFixed = name => link.fields[name].fixed !== undefined;
  shelf.alone = { fixed: Object.keys(link.fields).filter(isFixed), needsApp: of => filledNotice(notices[of]) };

  // What a file of the course holds, in letters.
  async function load(name) {
    if (!(name in files)) {
      const script = document.createElement('script');
      script.src = `${folder}${name}.js`;
      await new Promise((loaded, failed) => {
        script.onload = loaded;
        script.onerror = () => failed(new Error(name));
        document.head.append(script);
      });
    }
    return files[name];
  }
  // What the page has with a variant's settings; the figure's arrays are there with it.
  async function contentOf({ file }) {
    const content = file ? JSON.parse(await unpack(await load(file))) : first;
    for (const id of content.arrays) if (!shelf.arrays.has(id)) shelf.arrays.set(id, bytes(await load(id)).buffer);
    return content;
  }

  let variant = null, // which is shown
    content = first,
    data = payload,
    whole = payload, // the same while no question is open, for the pose that is shown
    search = '', // the link's parameters
    predicts = false; // whether the reader wants to
  const searchNow = () => location.search.slice(1) || content.payload.search;
  const completed = new Map(), // goals, by what they are about
    verdicts = new Map(); // by what was asked
  async function openVariant(next) {
    try {
      content = await contentOf(next);
    } catch (error) {
      showNotice(notices.missing, { '{file}': `${folder}${error.message}.js` });
      return false;
    }
    variant = next;
    document.querySelector('article').innerHTML = content.article;
    showSettings();
    return true;
  }
  function show(pose, version = data.version) {
    whole = payloadFor(pose, content.payload, content);
    const completed_goals = [...(completed.get(whole.subject) ?? [])],
      asked = questionsInSight(whole.questions, predicts, verdicts),
      open = asked.find(({ about }) => !verdicts.has(about))?.number ?? 0;
    data = open ? payloadFor(pose, content.payload, content, open) : whole;
    Object.assign(data, { version, completed_goals, search, as_opened: !past.length });
    data.results_hidden = predicts && open === 1;
    data.turns = [past.length, future.length];
    shelf.modules.stage.showStage({ ...component, data: JSON.stringify(data) }, style);
    showQuestions(asked);
    showPredict(whole.questions);
  }
  let shown = '';
  function showQuestions(asked) {
    const now = JSON.stringify(asked.map(({ about, text, answers }) => [text, answers, verdicts.get(about)]));
    if (now === shown) return; // so that what has the focus keeps it
    shown = now;
    const boxes = asked.map(each => questionBox(each, verdicts.get(each.about), texts, predict));
    document.getElementById('questions').replaceChildren(...boxes);
  }
  function predict(question, said) {
    enqueue(() => {
      verdicts.set(question.about, verdictOn(question, said, whole, texts));
      show(data.pose);
      document.getElementById(`question_${question.number}`).focus();
    });
  }
  // The switch beside the settings, where there is a question that is not always asked.
  function showPredict(questions) {
    const label = document.getElementById('predict');
    label.hidden = questions.every(({ always }) => always);
    label.firstElementChild.checked = predicts;
    const search = predicts ? '?predict=1' : '';
    for (const link of document.querySelectorAll('nav a, .course a')) if (link.search !== search) link.search = search;
  }
  // A link's parameters, with whether the reader wants to predict.
  function withPredict(search) {
    const all = new URLSearchParams(search);
    all.delete('predict');
    if (predicts !== content.link.fields.predict.default > 0) all.set('predict', Number(predicts));
    return String(all);
  }
  document.querySelector('#predict input').onchange = event =>
    enqueue(() => {
      predicts = event.target.checked;
      search = withPredict(search);
      show(data.pose);
    });
  async function openLink(parametersNow) {
    const next = variantOf(parametersNow, { settings, variants }) ?? variant ?? variants[0];
    notice.hidden = true;
    if (next !== variant && !(await openVariant(next))) return data.pose;
    const { pose, predicts: asks, refused, damaged } = readLink(parametersNow, content.link),
      named = [...refused, ...damaged],
      isRead = !refused.length && parametersNow.some(([name]) => !damaged.includes(name));
    predicts = asks;
    if (named.length) showNotice(refused.length ? notices.link : notices.damaged, { '{settings}': named.join(', ') });
    return isRead ? pose : content.payload.pose;
  }
  // Another example, as the app opens it: with its own numbers.
  async function choose(name, value) {
    const next = chooseVariant(name, value, variant.settings, variants),
      before = here();
    if (!next) showNotice(notices.example);
    else if (await openVariant(next)) {
      notice.hidden = true;
      remember(before);
      search = withPredict(content.payload.search);
      show(content.payload.pose);
    } else showSettings(); // as they were
  }

  // Undo and Redo lead through what was shown, with the link to each.
  const past = [],
    future = [];
  const here = () => ({ variant, pose: data.pose, search });
  function remember(step) {
    past.push(step);
    if (past.length > shelf.modules.outbox.MOST_STEPS) past.shift();
    future.length = 0;
  }
  async function turn(way) {
    const [from, to] = way < 0 ? [past, future] : [future, past],
      before = here(),
      step = from.at(-1);
    if (!step || (step.variant !== variant && !(await openVariant(step.variant)))) return;
    from.pop();
    to.push(before);
    const { subject } = whole,
      isSame = payloadFor(step.pose, content.payload, content).subject === subject;
    if (isSame) showAtGoal(step);
    else {
      search = withPredict(step.search);
      show(step.pose);
    }
  }
  // Another try at the same goal.
  function showAtGoal(step) {
    const { goal } = data.pose,
      kept = goal === step.pose.goal ? {} : { goal };
    search = withMove(withPredict(step.search), kept);
    show({ ...step.pose, ...kept });
  }
  // The link after a move, as the stage has written it.
  function withMove(link, move) {
    const all = new URLSearchParams(link);
    for (const [name, value] of Object.entries(move)) {
      const written = name in data.address ? shelf.modules.stage.encode(data.address[name], value) : '';
      if (written) all.set(name, written);
      else all.delete(name);
    }
    return String(all);
  }
  document.getElementById('reset').onclick = () =>
    enqueue(() => {
      remember(here());
      showAtGoal(content.payload);
    });
  function showSettings() {
    const names = Object.keys(variant.settings),
      focused = document.activeElement.id;
    document.getElementById('settings').replaceChildren(
      ...names.flatMap((name, place) => {
        const before = names.slice(0, place),
          suiting = variants.filter(each => before.every(other => each.settings[other] === variant.settings[other])),
          values = Object.keys(settings[name].texts).filter(value =>
            suiting.some(each => each.settings[name] === value),
          );
        if (values.length < 2) return [];
        const [box, label, select] = ['div', 'label', 'select'].map(tag => document.createElement(tag));
        select.append(...values.map(value => new Option(settings[name].texts[value], value)));
        select.value = variant.settings[name];
        select.onchange = () => enqueue(() => choose(name, select.value));
        select.id = label.htmlFor = `setting_${name}`;
        label.append(settings[name].label);
        box.append(label, select);
        return box;
      }),
    );
    if (focused) document.getElementById(focused)?.focus();
  }

  // The events of the stage are numbered: what is answered bears the number of the last.
  async function answer(events) {
    let { pose } = data;
    for (const [number, event] of events) {
      if (number <= data.version) continue;
      if (event.link !== undefined) {
        pose = await openLink(parametersOf(event.link, link));
        search = searchNow();
      }
      if (event.example !== undefined) {
        await choose('example', event.example);
        ({ pose } = data);
      }
      if (event.turn) {
        await turn(event.turn);
        ({ pose } = data);
      }
      if (event.move) {
        if (shelf.modules.outbox.areSteps([event])) remember({ variant, pose, search });
        search = withMove(search, event.move);
        pose = { ...pose, ...event.move };
      }
      if (!event.goals?.length) continue;
      const { subject } = payloadFor(pose, content.payload, content);
      completed.set(subject, new Set([...(completed.get(subject) ?? []), ...event.goals]));
    }
    show(pose, events.at(-1)?.[0]);
  }
  let last = Promise.resolve();
  const enqueue = act => {
    last = last.then(act).catch(reportError); // what fails must not stop what follows
  };
  const menu = document.querySelector('nav'); // on a phone it is one row
  if (menu) menu.scrollLeft = menu.querySelector('[aria-current=page]').offsetLeft - menu.offsetWidth / 2;
  // The same page in another language opens as it is here.
  for (const other of document.querySelectorAll('nav a[lang]'))
    other.addEventListener('click', () => {
      const all = new URLSearchParams(withPredict(search));
      all.delete('lang');
      other.search = all;
    });
  const linkTo = page => document.querySelector(`nav [data-page="${page}"]`);
  const component = {
    parentElement,
    openPage: page => linkTo(page).click(),
    hrefOf: page => linkTo(page).href,
    setStateValue: (_, events) => setTimeout(() => enqueue(() => answer(events))),
    setTriggerValue() {},
  };
  const style = await arrivedStyle(payload.own);
  const pose = await openLink(parameters);
  if (!variant) return;
  search = searchNow();
  show(pose);
  const buttons = document.getElementById('turns').attachShadow({ mode: 'open' });
  shelf.modules.undo_redo.showTurns({ parentElement: buttons, data: JSON.stringify(turns) }, shelf.styles['']);
}
