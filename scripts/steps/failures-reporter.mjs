// A reporter for node:test that writes only what failed, for the last lines of `npm test`; what was skipped too where nothing
// may be.

const DETAIL_LINES = 30;
const SKIP_NOTHING = process.env.CALLTAP_SKIP_NOTHING === '1';
/** Captures of other projects, which no set-up can bring; a test that makes pictures of the docs; what was not chosen. */
const MAY_LACK = /^(?:no captures|UPDATE_SCREENS|test name)/;

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
    const { name, file, line, details, skip } = event.data ?? {};
    if (SKIP_NOTHING && event.type === 'test:pass' && skip && !MAY_LACK.test(skip))
      yield `${file}: ${name}\n    skipped: ${skip}\n`;
    if (event.type !== 'test:fail' || event.data.todo || skip) continue;
    if (details?.error?.failureType === 'subtestsFailed') continue;
    yield `${file ?? ''}${line ? `:${line}` : ''}: ${name}\n`;
    for (const row of reason(details?.error)) yield `    ${row}\n`;
  }
}
