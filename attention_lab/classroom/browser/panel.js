// The tools of whoever leads.
import { download, make, putText } from '../../figure/browser/elements.js';
import { counted, filled, listed } from '../../figure/browser/number_format.js';
import { studentLink } from './join_code.js';
import { addButton, addConfirmed, addCopying, addDone, addSwitch } from './parts.js';
import { record } from './record.js';

const MINUTES = [1, 2, 5, 10],
  REVOKED = 3000; // ms

export function fillPanel(bar) {
  for (const add of [addHands, addGoals, addScreens, addLink, addSeats, addEnds]) add(bar);
}

function addSection({ panel, words }, name) {
  const section = make(null, 'section', {}, panel);
  make(null, 'h2', { text: words[name] }, section);
  return section;
}
const addRow = (parent, kind = '') => make(null, 'div', { class: `row${kind}` }, parent);

function addHands(bar) {
  const row = addRow(addSection(bar, 'panel/hands'), ' joined');
  for (const where of ['off', 'front', 'all']) {
    const act = () => bar.acts.say({ do: 'hands', where });
    addSwitch(bar, row, `panel/hands_${where}`, act, now => now.hands === where);
  }
}

function addGoals(bar) {
  const list = make(null, 'ul', {}, addSection(bar, 'panel/goals'));
  bar.updates.push(({ goals, page, goalNames }) => {
    const reached = Object.entries(goals[page] ?? {}).map(([goal, count]) =>
      counted(bar.words, 'panel/goal', count, { goal: goalNames[goal] ?? goal }),
    );
    const lines = reached.length ? reached : [bar.words['panel/no_goals']];
    if (list.dataset.lines === lines.join('\n')) return;
    list.dataset.lines = lines.join('\n');
    list.replaceChildren(...lines.map(text => make(null, 'li', { text })));
  });
}

function addScreens(bar) {
  const { words, acts } = bar,
    section = addSection(bar, 'panel/screens'),
    leading = addRow(section),
    timer = addRow(section),
    freeze = on => acts.say({ do: 'freeze', on }),
    setTimer = seconds => () => acts.say({ do: 'timer', seconds });
  addSwitch(bar, leading, 'panel/follow', acts.lead, now => now.leading || now.follow);
  addSwitch(bar, leading, 'panel/freeze', freeze, now => now.frozen);
  make(null, 'span', { text: words['panel/timer'] }, timer);
  for (const minutes of MINUTES)
    addButton(bar, timer, '', setTimer(60 * minutes), { text: counted(words, 'panel/minutes', minutes) });
  addButton(bar, timer, 'panel/stop', setTimer(0), { hidden: now => now.secondsLeft === null });
}

function addLink(bar) {
  const { words, acts, room } = bar,
    section = addSection(bar, 'panel/link'),
    row = addRow(section),
    secrets = addRow(section),
    looks = { type: 'text', class: 'small', readonly: '', 'aria-label': words['panel/link'] },
    address = make(null, 'input', looks, row);
  address.addEventListener('focus', () => address.select());
  bar.updates.push(() => {
    const url = studentLink(room);
    if (bar.root.activeElement !== address && address.value !== url) address.value = url;
  });
  addCopying(bar, row, 'panel/copy', () => address.value);
  addCopying(bar, secrets, 'panel/secret', () => `${studentLink(room)}#lead=${acts.secret()}`);
  addDone(bar, secrets, 'panel/revoke', 'panel/revoked', () => acts.say({ do: 'revoke' }), REVOKED);
}

function addSeats(bar) {
  const { words, acts } = bar,
    section = addSection(bar, 'panel/seats'),
    lock = on => acts.say({ do: 'lock', on }),
    lines = new Map(); // by the number of a browser's first tab
  addSwitch(bar, addRow(section), 'panel/lock', lock, now => now.locked);
  const list = make(null, 'ul', { class: 'seats' }, section);
  const addLine = number => {
    const line = make(null, 'li', {}, list);
    lines.set(number, { line, text: make(null, 'span', {}, line) });
    addConfirmed(bar, line, 'panel/remove', 'panel/remove_sure', () => acts.say({ do: 'remove', number }));
  };
  bar.updates.push(({ seats }) => {
    for (const [number, { line }] of lines) {
      if (seats.some(([numbers]) => numbers[0] === number)) continue;
      line.remove();
      lines.delete(number);
    }
    for (const [numbers, page] of seats) {
      if (!lines.has(numbers[0])) addLine(numbers[0]);
      const where = page ? (words[`titles/${page}`] ?? page) : words['panel/no_page'];
      putText(lines.get(numbers[0]).text, filled(words['panel/seat'], { number: listed(numbers), page: where }));
    }
  });
}

function addEnds(bar) {
  const { words, acts, room } = bar,
    section = make(null, 'section', { class: 'ends' }, bar.panel),
    answers = record(words, room);
  const undo = () => {
    acts.lead(false);
    acts.say({ do: 'undo' });
  };
  addConfirmed(bar, section, 'panel/undo', 'panel/undo_sure', undo, 'main');
  bar.updates.push(now => {
    if (now.question?.shown && now.question.counts) answers.keep(now.question, now.answers);
  });
  const save = () => download(new Blob([answers.csv()], { type: 'text/csv' }), `${room}.csv`);
  addButton(bar, section, 'record/download', save, { disabled: answers.isEmpty }).title = words['record/help'];
  addConfirmed(bar, section, 'panel/close', 'panel/sure', () => acts.say({ do: 'close' }));
}
