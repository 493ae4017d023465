/**
 * Keys as names, and the table of what they do: footer, help and dispatch read the same rows.
 */

/** What `node:readline` says of a key. */
export type Pressed = {
  readonly sequence?: string | undefined;
  readonly name?: string | undefined;
  readonly ctrl?: boolean | undefined;
  readonly shift?: boolean | undefined;
};

/**
 * What was pressed, by the names of bindings: `j`, `G`, `enter`, `esc`, `up`, `f1`, `ctrl-l`, `space`. Nothing for a sequence
 * that means nothing. On a slow line Esc and the key after it come together, as Alt with that key would: no key here has Alt, so
 * they are both.
 */
export function keyNames(pressed: Pressed): string[] {
  const { sequence = '' } = pressed;
  const escapes = /^\u001b*/.exec(sequence)?.[0].length ?? 0;
  const rest = sequence.slice(escapes);
  // Arrows and the like begin with one of them.
  const isCode = escapes > 0 && [...rest].length > 1;
  const names = Array.from({ length: isCode ? escapes - 1 : escapes }, () => 'esc');
  const name = rest === '' ? null : keyName(isCode ? pressed : { ...pressed, sequence: rest });
  return name === null ? names : [...names, name];
}

function keyName({ sequence = '', name, ctrl = false }: Pressed): string | null {
  if (name === 'return' || name === 'enter') return 'enter';
  if (name === 'space' || sequence === ' ') return 'space';
  if (ctrl && name !== undefined) return `ctrl-${name}`;
  // A character is itself, in its case.
  if (isCharacter(sequence)) return sequence;
  return name === undefined || name === 'undefined' ? null : name;
}

/** One character that can be typed into a line. */
export function isCharacter(text: string): boolean {
  return [...text].length === 1 && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text);
}

export type Binding = {
  readonly keys: readonly string[];
  /** One or two words for the footer; without them it stands in the help alone. */
  readonly short?: string;
  /** A sentence for the help. */
  readonly help: string;
  /** Where many keys do the same: how they are written. */
  readonly written?: string;
  run(key: string): void;
};

/** The binding of a key in the first table that has one. */
export function bindingOf(tables: readonly (readonly Binding[])[], key: string): Binding | null {
  for (const table of tables) {
    const found = table.find(({ keys }) => keys.includes(key));
    if (found !== undefined) return found;
  }
  return null;
}

const SHOWN: Readonly<Record<string, string>> = {
  enter: 'Enter',
  esc: 'Esc',
  space: 'Space',
  tab: 'Tab',
  up: '\u2191',
  down: '\u2193',
  left: '\u2190',
  right: '\u2192',
  pageup: 'PgUp',
  pagedown: 'PgDn',
  home: 'Home',
  end: 'End',
};

/** How a key is written for a person. */
export function shownKey(key: string): string {
  const ctrl = /^ctrl-(.)$/.exec(key)?.[1];
  if (ctrl !== undefined) return `^${ctrl.toUpperCase()}`;
  return SHOWN[key] ?? (/^f\d+$/.test(key) ? key.toUpperCase() : key);
}
