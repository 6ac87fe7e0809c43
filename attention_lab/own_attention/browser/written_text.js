// How a generated text was written: a player goes from token to token, and later ones are not there yet.
import { make } from '../../figure/browser/elements.js';
import { runSteps } from '../../figure/browser/play_clock.js';
import { player } from '../../figure/browser/player.js';
import { shownView } from './own_shared.js';

const A_TOKEN = 600; // ms that play gives to a token

// spec: { title, words: of the player }
export function written_text(host, spec, stage) {
  const row = make(null, 'div', { class: 'written-text', role: 'group', 'aria-label': spec.title }, host),
    first = () => shownView(stage.scope).prompt - 1, // the last token of the prompt is the first to ask for another
    last = () => shownView(stage.scope).queries.length - 1,
    put = query => {
      stage.pose.query = Math.max(first(), Math.min(last(), Math.round(query)));
      stage.requestPaint();
    };
  const keys = player(row, stage, spec.words, {
    at: () => Math.max(0, stage.pose.query - first()),
    last: () => last() - first(),
    put: step => put(first() + step),
    go: by => put(stage.pose.query + by),
    run: halt =>
      runSteps(A_TOKEN, keys.playing, () => {
        if (stage.pose.query < last()) put(stage.pose.query + 1);
        else halt();
      }),
  });
  const range = keys.range(row, row, { 'data-scrubber': 'query' });
  return scope => {
    const view = shownView(scope);
    row.hidden = view.prompt === null;
    if (row.hidden) return;
    const query = Math.max(first(), scope.query);
    keys.show(range, query - first(), last() - first(), view.queries[query]);
  };
}
