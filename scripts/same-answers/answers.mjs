// What was asked of a build and what it answered, in order; as text it can be compared line by line.

/** Each question begins a line with this, so that diff(1) can say which answer a line belongs to. */
export const MARK = '== ';

export class Answers {
  #parts = [];

  /** `question` names it; `text` is the answer, normalised. */
  add(question, text) {
    this.#parts.push(`${MARK}${question.replaceAll('\n', '\\n')}\n${text.trimEnd()}\n`);
  }

  get count() {
    return this.#parts.length;
  }

  get text() {
    return this.#parts.join('\n');
  }
}

/** Questions of two texts whose answers are not the same. */
export function different(a, b) {
  const [before, after] = [partsOf(a), partsOf(b)];
  return [...new Set([...before.keys(), ...after.keys()])].filter((q) => before.get(q) !== after.get(q));
}

function partsOf(text) {
  const parts = new Map();
  for (const part of `\n${text}`.split(`\n${MARK}`).slice(1)) {
    const end = part.indexOf('\n');
    const question = part.slice(0, end);
    parts.set(question, `${parts.get(question) ?? ''}${part.slice(end).trimEnd()}`);
  }
  return parts;
}
