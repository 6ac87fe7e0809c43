// Making elements. Text always goes in as text: no word of the reader's is ever read as HTML.
const SPACES = { svg: 'http://www.w3.org/2000/svg', math: 'http://www.w3.org/1998/Math/MathML' };

export function make(space, tag, attributes = {}, parent = null) {
  const element = space ? document.createElementNS(SPACES[space], tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'text') element.textContent = value; else if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  parent?.appendChild(element);
  return element;
}

export function place(element, attributes) {
  for (const name in attributes) element.setAttribute(name, attributes[name]);
}
