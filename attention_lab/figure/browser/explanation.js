// How the number pointed at was made, where a part has said so; else how to find out.
import { make } from './elements.js';

export function explanation(host, spec, stage) {
  const line = make(null, 'p', { class: 'explanation' }, host);
  return () => {
    const text = stage.explanation || spec.idle;
    if (line.textContent !== text) line.textContent = text;
    line.classList.toggle('idle', !stage.explanation);
  };
}
