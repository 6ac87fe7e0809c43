// What a page that stands alone shows besides its own text: packed into its file, or in scripts of its course.
import { globals } from '../figure/browser/page_globals.js';
import { bytes, unpack } from '../html_file/open_figure.js';

// What a file of the course holds, in letters. A script that is missing is an error with the file's name.
async function load(name, folder) {
  const { files } = globals;
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
export async function contentOf({ file }, { first, standalone: { folder } }) {
  const content = file ? JSON.parse(await unpack(await load(file, folder))) : first;
  for (const id of content.arrays)
    if (!globals.arrays.has(id)) globals.arrays.set(id, bytes(await load(id, folder)).buffer);
  return content;
}
