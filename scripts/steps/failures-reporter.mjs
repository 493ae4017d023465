// A reporter for node:test that writes only what failed, for the last lines of `npm test`.

const DETAIL_LINES = 30;

/** Lines of what a failed test threw, the innermost cause, cut to what a person reads. */
function reason(error) {
  const cause = error?.cause ?? error;
  const text =
    cause instanceof Error ? (cause.stack ?? cause.message) : String(cause?.stack ?? cause?.message ?? cause);
  return text.split('\n').slice(0, DETAIL_LINES);
}

/** Takes node:test's events; yields a paragraph for each failed test, none for a suite that only holds one. */
// biome-ignore lint/style/noDefaultExport: node:test takes a reporter's default export
export default async function* failures(source) {
  for await (const event of source) {
    if (event.type !== 'test:fail' || event.data.todo || event.data.skip) continue;
    const { name, file, line, details } = event.data;
    if (details?.error?.failureType === 'subtestsFailed') continue;
    yield `${file ?? ''}${line ? `:${line}` : ''}: ${name}\n`;
    for (const row of reason(details?.error)) yield `    ${row}\n`;
  }
}
