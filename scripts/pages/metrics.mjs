// docs/metrics.md, written from the table of the families of metrics.

function rowOf(...cells) {
  return `| ${cells.join(' | ')} |`;
}

const code = (text) => `\`${text.replaceAll('|', '\\|')}\``;
const inThousands = (n) => n.toLocaleString('en-US');

const ABOUT = {
  service: 'The families of the interface. They are there whatever is chosen.',
  capture: 'What was captured, mirrored, shipped and written, and what was lost on the way.',
  process: 'The process, its servers, and a hub.',
  security: 'Scanners, floods and fraud; only where they are looked for.',
  trunks: 'What each trunk does. [trunks.md](trunks.md) explains trunks.',
  rfc6076: 'The metrics of RFC 6076, as counters and histograms.',
  codes: 'Responses by status code.',
  calls: 'How much a trunk carries, and calls that are not as they should be.',
  media: 'RTP and RTCP of answered calls.',
  findings: 'What [diagnosis](diagnosis.md) found in calls.',
  devices: 'Phones by the class that `[devices]` gives their User-Agent.',
  countries: 'Calls by the country of the called number.',
  reports: 'What phones report themselves.',
};

function seriesText({ groups, rows, seriesOf, isHub }) {
  const of = (wanted) =>
    rows
      .filter(([, row]) => (row.isOfHub === true) === isHub && wanted.includes(row.group))
      .reduce((sum, [, row]) => sum + seriesOf(row), 0);
  return groups.map((group) => rowOf(code(group), inThousands(of([group]))));
}

function familyRows(rows, group, seriesOf) {
  return rows
    .filter(([, row]) => row.group === group)
    .map(([name, row]) =>
      rowOf(
        code(name),
        row.type,
        row.labels.length === 0 ? '-' : row.labels.map(code).join(', '),
        [row.help, row.bounds === undefined ? '' : `Buckets: ${row.bounds.join(', ')}.`].filter(Boolean).join(' '),
        row.formula ?? '-',
        inThousands(seriesOf(row)),
        row.query === undefined ? '-' : code(row.query),
      ),
    );
}

/** `hasComparison`: a page written by hand sets the families of another exporter beside these. */
export function metricsPage({ METRIC_ROWS, METRIC_GROUPS, DEFAULT_METRIC_GROUPS, seriesOf }, hasComparison) {
  const groups = METRIC_GROUPS.filter((group) => METRIC_ROWS.some(([, row]) => row.group === group));
  const most = (wanted) =>
    METRIC_ROWS.filter(([, row]) => row.isOfHub !== true && wanted.includes(row.group)).reduce(
      (sum, [, row]) => sum + seriesOf(row),
      0,
    );
  const tables = groups.flatMap((group) => [
    '',
    `## ${group}`,
    '',
    ABOUT[group],
    '',
    rowOf('Family', 'Type', 'Labels', 'Meaning', 'Formula', 'Series', 'Example'),
    '|---|---|---|---|---|---|---|',
    ...familyRows(METRIC_ROWS, group, seriesOf),
  ]);
  return [
    '# Metrics',
    '',
    'This page is for operators who scrape calltap: every family of metrics, what it means, and how many series it can have. It',
    'is generated from the rows in `src/view/metrics`; do not edit it by hand. [watching.md](watching.md) says which of them to watch.',
    '',
    ...(hasComparison
      ? ['[metrics-beside.md](metrics-beside.md) sets configuration and families of another exporter beside these.', '']
      : []),
    '## Choose families',
    '',
    '`--metrics-families` (`metrics.families` in `calltap.toml`) takes names of groups with commas between them. `default` stands',
    `for ${DEFAULT_METRIC_GROUPS.map(code).join(', ')}; \`all\` for everything. calltap counts nothing of other groups. To add groups, write`,
    '`--metrics-families default,rfc6076,calls`.',
    '',
    rowOf('Group', 'Series at most'),
    '|---|---|',
    ...seriesText({ groups, rows: METRIC_ROWS, seriesOf, isHub: false }),
    rowOf('`default`', `**${inThousands(most(DEFAULT_METRIC_GROUPS))}**`),
    rowOf('`all`', `**${inThousands(most(groups))}**`),
    '',
    'A hub captures nothing: it shows the families `calltap_hub_` beside those of the process and the interface.',
    '',
    '## Phones, limits and countries',
    '',
    '```toml',
    '[metrics]',
    'families = "default,rfc6076,calls,devices,countries"',
    'country_code = "49"             # of national numbers; without it only + and 00 tell a country',
    '',
    '[devices]                       # at most 50 classes; the first that is found in the User-Agent counts',
    'yealink = "(?i)yealink"',
    'pbx = "Asterisk|FreeSWITCH"',
    '',
    '[trunks]',
    'carrier = "203.0.113.0/28"',
    'limit = ["carrier=30"]          # calls at a time, for its utilisation',
    '```',
    '',
    'The side that sent the INVITE gives a call its class; where that has none, the side that answered. With `--metrics-exemplars` and a',
    'scraper that takes OpenMetrics, each bucket shows the Call-ID of the newest call in it.',
    '',
    '## Labels',
    '',
    'No label is an address of a caller, a user, a Call-ID, a host or a header as it came. `trunk` is a name of `[trunks]`, or `other`.',
    'Fifty trunks and directions have a seat, with series of their own: those with most calls of the day before. At midnight UTC they',
    'are given again. calltap counts everything without a seat as `other`, so that no series ever falls: a trunk that gets its seat back',
    'continues where it was. `calltap_trunk_up` and `calltap_trunk_trouble` of `other` show the worst of the named trunks without a seat.',
    '`direction` is `in` where the call came from the trunk, and `out` where it went to it. A call between two hosts without a name',
    'counts in both. Histograms have the trunk alone: they count such a call once.',
    ...tables,
    '',
  ].join('\n');
}
