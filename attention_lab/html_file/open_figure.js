// How a file with a figure begins: its place on the page, and the code that draws it.
export const text = id => document.getElementById(id).textContent;
export const bytes = letters => Uint8Array.from(atob(letters), letter => letter.charCodeAt(0));

// A long text that the file holds packed.
export async function unpack(letters) {
  const stream = new Blob([bytes(letters)]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).text();
}

// Whether the browser is too old: the page says so then, and does no more.
export const isOutdated = () => !document.getElementById('outdated').hidden;

// The element in which the figure is drawn; its code is on its way then.
export async function placeFigure() {
  const parentElement = document
    .getElementById('figure')
    .attachShadow({ mode: 'open' })
    .appendChild(document.createElement('div'));
  if (document.getElementById('code')) {
    const code = document.createElement('script');
    code.type = 'module'; // put in as text: a file opened from a disk may load no module by its address
    code.textContent = await unpack(text('code'));
    document.head.append(code);
  }
  return parentElement;
}
