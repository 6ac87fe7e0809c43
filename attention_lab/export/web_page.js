// A page that stands alone, in a file or in a folder of files: it reads its link, draws its figure, and answers what a
// hand has moved or chosen, as Python does for a page of the app.
import { ready, globals } from '../figure/browser/page_globals.js';
import { isOutdated, placeFigure, text, unpack } from '../html_file/open_figure.js';
import { here, remember, reset, showStep, turn, withMove } from './page_history.js';
import { filledNotice, hideNotice, showNotice } from './page_notice.js';
import { payloadFor } from './page_payload.js';
import { showSettings, withPredict } from './page_settings.js';
import { enqueue, newPage, openVariant, show } from './page_view.js';
import { chooseVariant, parametersOf, readLink, variantOf, withoutEnd } from './read_link.js';

// The URL that a link leads to instead: of the page in the language that it asks for, where the folder has it, and with
// what stands behind the # as what a link holds.
function redirect(query, link) {
  const code = withoutEnd(new URLSearchParams(query).get('lang') ?? '', link),
    other = code && document.querySelector(`nav a[lang="${CSS.escape(code)}"]:not([aria-current])`);
  return other || (query && !location.search) ? new URL(`?${query}`, other?.href ?? location.href) : null;
}

// Opens a link, and returns its pose; the page's parameters are then those in the URL.
async function openLink(page, parameters) {
  const next = variantOf(parameters, page.standalone) ?? page.variant ?? page.standalone.variants[0];
  let { pose } = page.data;
  hideNotice();
  if (next === page.variant || (await openVariant(page, next))) {
    const { link, payload } = page.content,
      { pose: read, predicts, refused, damaged } = readLink(parameters, link),
      named = [...refused, ...damaged],
      fills = { '{settings}': named.join(', ') },
      isRead = !refused.length && parameters.some(([name]) => !damaged.includes(name));
    page.predicts = predicts;
    if (named.length) showNotice(refused.length ? 'link' : 'damaged', page.standalone.notices, fills);
    pose = isRead ? read : payload.pose;
  }
  page.search = location.search.slice(1) || page.content.payload.search;
  return pose;
}

// Another example, as the app opens it: with its own numbers.
async function choose(page, name, value) {
  const { notices, variants } = page.standalone,
    next = chooseVariant(name, value, page.variant.settings, variants),
    before = here(page);
  if (!next) showNotice('example', notices);
  else if (await openVariant(page, next)) {
    hideNotice();
    remember(page, before);
    showStep(page, page.content.payload);
  } else showSettings(page); // as they were
}

// The pose after an event of the stage.
async function poseAfter(page, event, pose) {
  const { link, example, turn: way, move, goals } = event;
  if (link !== undefined) pose = await openLink(page, parametersOf(link, page.standalone.link));
  if (example !== undefined) {
    await choose(page, 'example', example);
    ({ pose } = page.data);
  }
  if (way) {
    await turn(page, way);
    ({ pose } = page.data);
  }
  if (move) {
    if (globals.modules.outbox.areSteps([event])) remember(page, { ...here(page), pose });
    page.search = withMove(page.search, move, page);
    pose = { ...pose, ...move };
  }
  if (goals?.length) {
    const { subject } = payloadFor(pose, page.content);
    page.completed.set(subject, new Set([...(page.completed.get(subject) ?? []), ...goals]));
  }
  return pose;
}

// The events of the stage are numbered: what is answered bears the number of the last.
async function answer(page, events) {
  let { pose } = page.data;
  for (const [number, event] of events) if (number > page.data.version) pose = await poseAfter(page, event, pose);
  show(page, pose, events.at(-1)?.[0]);
}

// What the stage finds in the place of Streamlit's component.
function componentOf(page, parentElement) {
  const linkTo = name => document.querySelector(`nav [data-page="${name}"]`);
  return {
    parentElement,
    openPage: name => linkTo(name).click(),
    hrefOf: name => linkTo(name).href,
    setStateValue: (_, events) => setTimeout(() => enqueue(page, () => answer(page, events))),
    setTriggerValue() {},
  };
}

function followTools(page) {
  document.getElementById('settings').onchange = ({ target: { dataset, value } }) =>
    enqueue(page, () => choose(page, dataset.setting, value));
  document.querySelector('#predict input').onchange = ({ target: { checked } }) =>
    enqueue(page, () => {
      page.predicts = checked;
      page.search = withPredict(page.search, page);
      show(page, page.data.pose);
    });
  document.getElementById('reset').onclick = () => enqueue(page, () => reset(page));
}

function followMenu(page) {
  const menu = document.querySelector('nav'); // on a phone it is one row
  if (menu) menu.scrollLeft = menu.querySelector('[aria-current=page]').offsetLeft - menu.offsetWidth / 2;
  // The same page in another language opens as it is here.
  for (const other of document.querySelectorAll('nav a[lang]'))
    other.addEventListener('click', () => {
      const all = new URLSearchParams(withPredict(page.search, page));
      all.delete('lang');
      other.search = all;
    });
}

export async function start() {
  if (isOutdated()) return;
  const query = location.search.slice(1) || (location.hash.includes('=') ? location.hash.slice(1) : ''),
    standalone = JSON.parse(await unpack(text('standalone'))),
    { link, choices, arrays, notices, turns, files } = standalone,
    target = redirect(query, link);
  if (target) {
    location.replace(target);
    return;
  }
  const payload = JSON.parse(text('payload')),
    article = document.querySelector('article').innerHTML,
    page = newPage(standalone, { payload, link, choices, arrays, article }),
    isFixed = name => link.fields[name].fixed !== undefined;
  globals.files = files;
  globals.alone = {
    fixed: Object.keys(link.fields).filter(isFixed),
    needsApp: of => filledNotice(notices[of], notices),
  };
  page.component = componentOf(page, await placeFigure());
  followTools(page);
  followMenu(page);
  page.style = await ready(payload.own, payload.lang);
  const pose = await openLink(page, parametersOf(query, link));
  if (!page.variant) return;
  show(page, pose);
  const buttons = document.getElementById('turns').attachShadow({ mode: 'open' });
  globals.modules.undo_redo.showTurns({ parentElement: buttons, data: JSON.stringify(turns) });
}
