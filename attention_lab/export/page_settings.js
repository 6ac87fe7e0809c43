// The settings above the figure of a page that stands alone: which variant is shown, and whether the reader predicts.

// The values of a setting in variants that share the settings before it with the one that is shown.
function valuesOf(name, before, { variant, standalone: { settings, variants } }) {
  const suiting = variants.filter(each => before.every(other => each.settings[other] === variant.settings[other]));
  return Object.keys(settings[name].texts).filter(value => suiting.some(each => each.settings[name] === value));
}

function settingBox(name, values, { variant, standalone: { settings } }) {
  const { label: title, texts } = settings[name],
    [box, label, select] = ['div', 'label', 'select'].map(tag => document.createElement(tag));
  select.append(...values.map(value => new Option(texts[value], value)));
  select.value = variant.settings[name];
  select.dataset.setting = name;
  select.id = label.htmlFor = `setting_${name}`;
  label.append(title);
  box.append(label, select);
  return box;
}

// A select for each setting that has several values beside those before it.
export function showSettings(page) {
  const names = Object.keys(page.variant.settings),
    focused = document.activeElement.id;
  document.getElementById('settings').replaceChildren(
    ...names.flatMap((name, place) => {
      const values = valuesOf(name, names.slice(0, place), page);
      return values.length < 2 ? [] : settingBox(name, values, page);
    }),
  );
  if (focused) document.getElementById(focused)?.focus();
}

// The switch beside the settings, where there is a question that is not always asked. Links to other pages keep it.
export function showPredict({ predicts, whole }) {
  const label = document.getElementById('predict');
  label.hidden = whole.questions.every(({ always }) => always);
  label.firstElementChild.checked = predicts;
  const search = predicts ? '?predict=1' : '';
  for (const link of document.querySelectorAll('nav a, .course a')) if (link.search !== search) link.search = search;
}

// A link's parameters, with whether the reader wants to predict.
export function withPredict(search, { predicts, content }) {
  const all = new URLSearchParams(search);
  all.delete('predict');
  if (predicts !== content.link.fields.predict.default > 0) all.set('predict', Number(predicts));
  return String(all);
}
