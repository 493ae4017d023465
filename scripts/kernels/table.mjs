// The table at the end: a row for each claim and user, a column for each kernel.

const WIDTH = 34;

function cut(text) {
  return text.length > WIDTH ? `${text.slice(0, WIDTH - 3)}...` : text;
}

/** `results` are {name, release, claims: [{isTrue, check, user, claim, words}]}; a claim that was not made is a dash. */
export function table(results) {
  const keys = new Map();
  for (const { claims } of results)
    for (const { claim, user } of claims) keys.set(`${claim} (${user})`, { claim, user });
  const rows = [['', ...results.map(({ name, release }) => (release === '' ? name : release))]];
  for (const [title, key] of keys) {
    const cells = results.map(({ claims }) => {
      const found = claims.find(({ claim, user }) => claim === key.claim && user === key.user);
      return found === undefined ? '-' : cut(found.isTrue ? found.words : `NOT OK: ${found.words}`);
    });
    rows.push([title, ...cells]);
  }
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
