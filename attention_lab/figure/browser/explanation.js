// How the number pointed at was made, where a part has said so; else how to find out.
import { make, write } from './elements.js';

export function explanation(host, spec, stage) {
  const line = make(null, 'p', { class: 'explanation' }, host);
  return () => {
    write(line, stage.explanation || spec.idle);
    line.classList.toggle('idle', !stage.explanation);
  };
}
