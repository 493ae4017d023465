/** docs/losses.md, written from the table of losses. */
import type { Loss } from './loss-row.ts';
import { LOSSES, QUALITY } from './loss-table.ts';

function rowOf(...cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function countsIn({ quality, shed }: Loss): string {
  return [quality, shed].flatMap((key) => (key === undefined ? [] : [`\`${key}\``])).join(', ');
}

export function renderLossesDoc(): string {
  return [
    '# Losses',
    '',
    'This page lists every counter of something that calltap captured and lost, what it says, and what to do. It is',
    'generated from `src/view/loss-table.ts`; do not edit it by hand.',
    '',
    '## Lost before analysis',
    '',
    '`capture_quality` of `/v1/stats`; the metric is `calltap_lost_total{reason="..."}`. When any of them is not zero,',
    '`degraded` is true. The summary at the end of a run names those that are not zero.',
    '',
    rowOf('Member', 'What it says', 'What to do'),
    '|---|---|---|',
    ...Object.entries(QUALITY).map(([key, { means, remedy = '' }]) => rowOf(`\`${key}\``, means, remedy)),
    '',
    '## By reason',
    '',
    '`losses` of `/v1/stats` is complete: zero is a real answer, and a key is missing only where its part does not run',
    '(`uprobe_*` without probes). A `*` stands for a key each reason. The second column names the member of',
    '`capture_quality` or `caveats` that this counts in too; what a cap shed is also `calltap_evicted_total`.',
    '',
    rowOf('Key', 'Counts in', 'What it says', 'What to do'),
    '|---|---|---|---|',
    ...LOSSES.map((row) => rowOf(`\`${row.name}\``, countsIn(row), row.means, row.remedy ?? '')),
    '',
  ].join('\n');
}
