// The line above the figure of a page that stands alone: what of a link or a choice can't be shown here, and why.
const line = () => document.getElementById('notice');

// A sentence of Python's as nodes: with the command that starts the app, and what else has a place in it.
export function filledNotice(sentence, { command }, fills = {}) {
  const code = document.createElement('code'),
    all = { '{command}': code, ...fills },
    result = document.createDocumentFragment();
  code.textContent = command;
  result.append(...sentence.split(/(\{\w+\})/).map(piece => all[piece] ?? piece));
  return result;
}

export function showNotice(name, notices, fills) {
  line().replaceChildren(filledNotice(notices[name], notices, fills));
  line().hidden = false;
}

export function hideNotice() {
  line().hidden = true;
}
