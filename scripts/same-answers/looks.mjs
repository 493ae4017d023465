// How characters of a terminal look: the sequences that tmux writes, as marks in braces where a character looks another way than
// the one before. How blanks look is left out: it depends on what stood there before.

/** Number of SGR to the part of a look that it sets; null ends all of them. */
const PARTS = { 1: 'bold', 2: 'dim', 3: 'italic', 4: 'underline', 7: 'reverse' };
const ENDS = { 22: ['bold', 'dim'], 23: ['italic'], 24: ['underline'], 27: ['reverse'] };

function applied(look, codes) {
  const next = new Map(look);
  for (const code of codes.split(';').map(Number)) {
    if (code === 0) next.clear();
    else if (code in PARTS) next.set(PARTS[code], PARTS[code]);
    else if (code in ENDS) for (const part of ENDS[code]) next.delete(part);
    else if (code === 39) next.delete('color');
    else if (code === 49) next.delete('ground');
    else if (code >= 40 && code < 50) next.set('ground', `on ${code}`);
    else next.set('color', String(code));
  }
  return next;
}

const nameOf = (look) => [...look.values()].sort((a, b) => (a < b ? -1 : 1)).join(' ');

/** Lines of a screen with its sequences; each begins plain. */
export function withLooks(screen) {
  let look = new Map();
  return screen.split('\n').map((line) => {
    let [shown, last] = ['', ''];
    for (const [piece, codes] of line.matchAll(/\u001b\[([\d;]*)m|\u001b.|[^\u001b]/gu)) {
      if (codes !== undefined) look = applied(look, codes === '' ? '0' : codes);
      else if (piece === ' ' || piece.startsWith('\u001b') || piece < ' ') shown += piece === ' ' ? ' ' : '';
      else {
        const name = nameOf(look);
        if (name !== last) shown += `{${name}}`;
        shown += piece;
        last = name;
      }
    }
    return shown.trimEnd();
  });
}
