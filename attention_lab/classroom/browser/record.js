// What a class has answered, question by question, for whoever leads: numbers only, kept by this tab.
const cell = text =>
  `"${String(text)
    .replace(/^[=+\-@\t\r＝＋－＠]/, "'$&")
    .replaceAll('"', '""')}"`; // no formula

export function record(words, room) {
  const key = `attention-lab answers ${room}`,
    rows = JSON.parse(sessionStorage.getItem(key) ?? '{}');
  return {
    // Once the answers of a question are shown; its rows are written again as rounds and answers come.
    keep(question, answers) {
      const known = rows[question.number],
        entry = { page: question.page, answers: answers ?? known?.answers, counts: question.counts };
      if (JSON.stringify(known) === JSON.stringify(entry)) return;
      rows[question.number] = entry;
      sessionStorage.setItem(key, JSON.stringify(rows));
    },
    isEmpty: () => Object.keys(rows).length === 0,
    // A row for each answer of each round: question, page, round, answer, how many chose it.
    csv() {
      const head = ['question', 'page', 'round', 'answer', 'count'].map(name => words[`record/${name}`]),
        lines = Object.values(rows).flatMap(({ page, answers, counts }, number) =>
          counts.flatMap((round, k) =>
            round.flatMap((count, i) => {
              const answer = answers ? answers[i] : String.fromCharCode(65 + i);
              return answer === null ? [] : [[number + 1, words[`titles/${page}`] ?? page, k + 1, answer, count]];
            }),
          ),
        );
      return `\ufeff${[head, ...lines].map(line => line.map(cell).join(words['record/separator'])).join('\r\n')}\r\n`;
    },
  };
}
