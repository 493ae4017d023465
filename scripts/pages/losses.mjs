// docs/losses.md, written from the table of losses.

function rowOf(...cells) {
  return `| ${cells.join(' | ')} |`;
}

function countsIn({ quality, shed }) {
  return [quality, shed].flatMap((key) => (key === undefined ? [] : [`\`${key}\``])).join(', ');
}

export function lossesPage({ LOSSES, QUALITY }) {
  return [
    '# Losses',
    '',
    'This page is for operators: it lists every counter of lost packets, messages and data, and what to do about it. It is',
    'generated from `src/view/loss-table.ts`; do not edit it by hand.',
    '',
    '## Lost before analysis',
    '',
    'These are members of `capture_quality` in `/v1/stats`, and the metric `calltap_lost_total{reason="..."}`. When one of',
    'them is not zero, `degraded` is true, and the summary at the end of a run names it.',
    '',
    rowOf('Member', 'What it says', 'What to do'),
    '|---|---|---|',
    ...Object.entries(QUALITY).map(([key, { means, remedy = '' }]) => rowOf(`\`${key}\``, means, remedy)),
    '',
    '## By reason',
    '',
    '`losses` of `/v1/stats` is complete: zero is a real answer, and a key is missing only where its part does not run',
    '(`uprobe_*` without probes). A `*` stands for one key per reason. The second column names the member of',
    '`capture_quality` or `caveats` that counts it too. `calltap_evicted_total` also counts what a cap shed.',
    '',
    rowOf('Key', 'Counts in', 'What it says', 'What to do'),
    '|---|---|---|---|',
    ...LOSSES.map((row) => rowOf(`\`${row.name}\``, countsIn(row), row.means, row.remedy ?? '')),
    '',
  ].join('\n');
}
