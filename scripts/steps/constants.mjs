// Makes constants of a bundle constants again: esbuild writes each `const` of a module as `var`, and V8 reads a variable
// of a module each time, where it takes a constant for what it is. Worth 13 % of carrier5m and 16 % of SIP in pairs
// (docs/adr/0018).
//
// A name that anything in the file assigns, or that looks so, stays a variable.

const DECLARED = /^var ([\w$]+) = /gm;
const OPERATOR = String.raw`(?:[-+*/%&|^]|<<|>>>?|\*\*|&&|\|\||\?\?)?`;
const ASSIGNED = [
  new RegExp(String.raw`(?<![\w$.]|\b(?:var|let|const)\s+)([\w$]+)\s*${OPERATOR}=(?![=>])`, 'g'),
  /(?<![\w$.])([\w$]+)(?:\+\+|--)/g,
  /(?:\+\+|--)([\w$]+)/g,
  /\bfor\s*\(\s*([\w$]+)\s+(?:of|in)\b/g,
];
/** `[a, b] = c` and `({ a } = c)`: a name in them would be missed above. */
const PATTERN = /^\s*(?:\[[^\]]*\]|\(\{[^}]*\})\s*=(?![=>])/m;

/** `code` of one bundled file with `const` in place of `var` where nothing assigns. Throws when it cannot tell. */
export function withConstants(code) {
  const unread = PATTERN.exec(code);
  if (unread !== null) throw new Error(`constants: assigns by a pattern, which is not read: ${unread[0].trim()}`);
  const assigned = new Set(ASSIGNED.flatMap((form) => [...code.matchAll(form)].map(([, name]) => name)));
  return code.replace(DECLARED, (all, name) => (assigned.has(name) ? all : `const ${name} = `));
}
