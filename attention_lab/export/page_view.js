// What a page that stands alone shows: a variant's text and settings, and its figure with the questions above it.
import { globals } from '../figure/browser/page_globals.js';
import { contentOf } from './page_files.js';
import { showNotice } from './page_notice.js';
import { payloadFor } from './page_payload.js';
import { showPredict, showSettings } from './page_settings.js';
import { questionBox, questionsInSight, verdictOn } from './questions.js';

// The page as it is: what its functions hand each other, and all that a hand changes. Until it is shown it has no
// variant.
export const newPage = (standalone, first) => ({
  standalone, // what Python has written for the page: nothing in it changes
  first, // the content of the variant that is in the file
  component: null, // what the stage asks of the page, as of a component of Streamlit's, and the figure's style
  style: '',
  variant: null, // which is shown
  content: first,
  data: first.payload,
  whole: first.payload, // the same while no question is open, for the pose that is shown
  search: '', // the link's parameters
  predicts: false, // whether the reader wants to
  past: [], // the steps of Undo, and of Redo (page_history.js)
  future: [],
  completed: new Map(), // goals, by what they are about
  verdicts: new Map(), // by what was asked
  asked: '', // the questions that are shown
  acted: Promise.resolve(), // once all is done that a hand has asked for
});

// What a hand asks for is done in turn; what fails must not stop what follows.
export function enqueue(page, act) {
  page.acted = page.acted.then(act).catch(reportError);
}

export async function openVariant(page, next) {
  try {
    page.content = await contentOf(next, page);
  } catch (error) {
    const { notices, folder } = page.standalone;
    showNotice('missing', notices, { '{file}': `${folder}${error.message}.js` });
    return false;
  }
  page.variant = next;
  document.querySelector('article').innerHTML = page.content.article;
  showSettings(page);
  return true;
}

export function show(page, pose, version = page.data.version) {
  const { content, completed, verdicts, predicts, search, past, future } = page,
    whole = payloadFor(pose, content),
    asked = questionsInSight(whole.questions, predicts, verdicts),
    open = asked.find(({ about }) => !verdicts.has(about))?.number ?? 0;
  page.whole = whole;
  page.data = {
    ...(open ? payloadFor(pose, content, open) : whole),
    version,
    completed_goals: [...(completed.get(whole.subject) ?? [])],
    search,
    as_opened: !past.length,
    results_hidden: predicts && open === 1,
    turns: [past.length, future.length],
  };
  globals.modules.stage.showStage({ ...page.component, data: page.data }, page.style);
  showQuestions(page, asked);
  showPredict(page);
}

function showQuestions(page, asked) {
  const { verdicts, standalone } = page,
    now = JSON.stringify(asked.map(({ about, text, answers }) => [text, answers, verdicts.get(about)]));
  if (now === page.asked) return; // so that what has the focus keeps it
  page.asked = now;
  const answer = (question, said) => enqueue(page, () => predict(page, question, said)),
    boxes = asked.map(each => questionBox(each, verdicts.get(each.about), standalone.questions, answer));
  document.getElementById('questions').replaceChildren(...boxes);
}

function predict(page, question, said) {
  page.verdicts.set(question.about, verdictOn(question, said, page.whole, page.standalone.questions));
  show(page, page.data.pose);
  document.getElementById(`question_${question.number}`).focus();
}
