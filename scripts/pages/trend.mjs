// The picture of docs/lab/trend.csv: how fast each build was that somebody measured, in three panels one below the other.
//
// A line that lacks a figure has a gap there. Ratios of one line were taken in the same minutes, so that lines of slow and fast hours
// can be compared; milliseconds and MiB are as they were.

const PANELS = [
  { title: "speed to tcpdump's", columns: ['carrier5m', 'sip', 'long'] },
  { title: 'memory, MiB', columns: ['carrier5m_mib', 'sip_mib'] },
  { title: 'longest turn and hold of the collector, ms', columns: ['turn_ms', 'collector_ms'] },
];
const COLORS = ['#1f6feb', '#b35900', '#2f7d32'];
const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, GAP] = [760, 150, 48, 120, 30, 54];

/** The text of the SVG for the text of the CSV. */
export function trendPicture(csv) {
  const [head = '', ...lines] = csv.trim().split('\n');
  const names = head.split(',');
  const rows = lines.map((line) => Object.fromEntries(line.split(',').map((cell, i) => [names[i], cell])));
  const height = PANELS.length * (HEIGHT + GAP) + TOP;
  const panels = PANELS.map((panel, i) => panelOf(panel, rows, TOP + i * (HEIGHT + GAP)));
  const style = 'font:12px sans-serif;background:#fff';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" style="${style}">`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    ...panels.flat(),
    '</svg>',
    '',
  ].join('\n');
}

function panelOf({ title, columns }, rows, top) {
  const figures = columns.map((name) => rows.map((row) => (row[name] === '' ? null : Number(row[name] ?? Number.NaN))));
  const most = 1.1 * Math.max(...figures.flat().filter((n) => Number.isFinite(n)), 0.1);
  const x = (i) => LEFT + ((WIDTH - LEFT - RIGHT) * (i + 0.5)) / Math.max(1, rows.length);
  const y = (n) => top + HEIGHT - (HEIGHT * n) / most;
  const out = [`<text x="${LEFT}" y="${top - 8}" font-weight="bold">${title}</text>`];
  for (const part of [0, 0.25, 0.5, 0.75, 1]) {
    const at = y(most * part).toFixed(1);
    out.push(`<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at}" y2="${at}" stroke="#ddd"/>`);
    out.push(`<text x="${LEFT - 6}" y="${at}" dy="4" text-anchor="end" fill="#555">${tick(most * part)}</text>`);
  }
  for (const [i, name] of columns.entries()) {
    const color = COLORS[i];
    const points = figures[i].map((n, at) => (Number.isFinite(n) ? [x(at).toFixed(1), y(n).toFixed(1)] : null));
    for (const run of runsOf(points))
      out.push(
        `<polyline fill="none" stroke="${color}" stroke-width="2" points="${run.map((p) => p.join()).join(' ')}"/>`,
      );
    for (const p of points.filter((one) => one !== null))
      out.push(`<circle cx="${p[0]}" cy="${p[1]}" r="2.5" fill="${color}"/>`);
    out.push(`<text x="${WIDTH - RIGHT + 8}" y="${top + 16 + 18 * i}" fill="${color}">${name}</text>`);
  }
  for (const [i, { commit, date }] of rows.entries())
    if (i === 0 || i === rows.length - 1 || date !== rows[i - 1].date)
      out.push(
        `<text x="${x(i).toFixed(1)}" y="${top + HEIGHT + 16}" text-anchor="middle" fill="#555">${date.slice(5)}` +
          `<title>${commit}</title></text>`,
      );
  return out;
}

const tick = (n) => (n >= 10 ? n.toFixed(0) : n.toFixed(2));

/** What stands together without a gap. */
function runsOf(points) {
  const runs = [[]];
  for (const point of points)
    if (point === null) runs.push([]);
    else runs.at(-1).push(point);
  return runs.filter((run) => run.length > 0);
}
