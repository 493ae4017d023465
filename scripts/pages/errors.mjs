// docs/errors.md, written from the catalogue of errors and from that of problems.

function rowOf(...cells) {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** What is wrong and what to do, a pair for each cause that the row knows. */
function texts({ line, remedy = '', causes }) {
  if (causes === undefined) return [[line, remedy]];
  return Object.values(causes).map((cause) => {
    const [wrong = '', ...rest] = line.replace('{cause}', () => cause).split('; ');
    return [wrong, [...rest, ...(remedy === '' ? [] : [remedy])].join('; ')];
  });
}

function rowsOf([code, row]) {
  return texts(row).map(([wrong, remedy], i) => {
    const first = i === 0 ? [`\`${code}\``, String(row.exit), `[${row.page}](${row.page})`] : ['', '', ''];
    return rowOf(...first, wrong, remedy);
  });
}

export function errorsPage({ ERRORS, PROBLEMS, PROBLEM_TYPE_PREFIX }) {
  return [
    '# Errors',
    '',
    'This page is for operators: it lists every line with which calltap refuses to start or ends early, and what to do.',
    'It is generated from `src/core/errors.ts`; do not edit it by hand.',
    '',
    'Each is one line on standard error: `calltap: WHAT IS WRONG; WHAT TO DO`. A word in braces stands for a value. Exit',
    'code 1: the work failed. Exit code 2: the command line or the configuration is wrong. [cli.md](cli.md) says which',
    'options need or exclude others.',
    '',
    rowOf('Code', 'Exit', 'Page', 'What is wrong', 'What to do'),
    '|---|---|---|---|---|',
    ...Object.entries(ERRORS).flatMap(rowsOf),
    '',
    '## Problems over HTTP',
    '',
    `The API answers a failure with \`application/problem+json\`; its \`type\` is \`${PROBLEM_TYPE_PREFIX}KIND\`. [api.md](api.md#problems)`,
    'says what to do.',
    '',
    rowOf('Kind', 'Status', 'Title'),
    '|---|---|---|',
    ...Object.entries(PROBLEMS).map(([kind, { status, title }]) => rowOf(`\`${kind}\``, String(status), title)),
    '',
  ].join('\n');
}
