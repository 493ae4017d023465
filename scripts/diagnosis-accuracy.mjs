/**
 * Measures the detections against labelled captures: precision and recall of each, and every case they get wrong.
 *
 *   node scripts/diagnosis-accuracy.mjs [--write] [--fired] [FOLDER...]
 *
 * Captures are looked for in the folders given, else in CALLTAP_CAPTURES and in ../shared/captures and
 * ../shared/lab/captures beside the repository. fixtures/diagnosis-truth.tsv says what is wrong in which call; a call it
 * does not name has nothing. --write puts the result into docs/diagnosis-accuracy.md, --fired prints what fired as
 * lines of that file. Run `npm run build` first.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DETECTIONS, detectionsOf } from '../dist/test/helpers/detections.js';
import { openSession } from '../dist/test/helpers/open-session.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const TRUTH = join(root, 'fixtures/diagnosis-truth.tsv');
const PAGE = join(root, 'docs/diagnosis-accuracy.md');
const MARK = '<!-- measured -->';

const args = process.argv.slice(2);
const has = (name) => args.includes(name);
const given = args.filter((a) => !a.startsWith('--'));
const usual = [process.env.CALLTAP_CAPTURES, join(root, '../shared/captures'), join(root, '../shared/lab/captures')];
const folders = (given.length > 0 ? given : usual).filter((f) => f !== undefined && existsSync(f));

/** Call-IDs may hold anything; in the file they are percent-encoded. */
function keyOf(file, callId) {
  return `${file}\t${encodeURIComponent(callId)}`;
}

function readTruth() {
  const truth = new Map();
  for (const line of readFileSync(TRUTH, 'utf8').split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [file, callId, names, note = ''] = line.split('\t');
    truth.set(`${file}\t${callId}`, { names: new Set(names.split(',')), note });
  }
  return truth;
}

/** What fired in a capture: detections by Call-ID; null for a file that cannot be read. */
async function firedIn(path) {
  const argv = ['-I', path, '-E', '--portrange', '1-65535', '--ws-portrange', '1-65535'];
  const session = openSession(argv);
  try {
    await session.read([path], () => undefined);
    return [...session.dialogs.oldestFirst()].map((d) => [d.callId, detectionsOf(session, d)]);
  } catch {
    return null;
  } finally {
    session.close();
  }
}

const truth = readTruth();
const counts = new Map(DETECTIONS.map((name) => [name, { tp: 0, fp: 0, fn: 0 }]));
const wrong = [];
let captures = 0;
let dialogs = 0;
let unreadable = 0;
const seen = new Set();
for (const folder of folders) {
  for (const file of readdirSync(folder).sort()) {
    if (!/\.(pcap|pcapng|cap)(\.gz)?$/.test(file) || seen.has(file)) continue;
    seen.add(file);
    const fired = await firedIn(join(folder, file));
    if (fired === null) {
      unreadable++;
      continue;
    }
    captures++;
    for (const [callId, names] of fired) {
      dialogs++;
      const key = keyOf(file, callId);
      if (has('--fired') && names.length > 0) console.log(`${key}\t${names.join(',')}`);
      const label = truth.get(key);
      for (const name of DETECTIONS) {
        const isTrue = label?.names.has(name) ?? false;
        const isFound = names.includes(name);
        if (isTrue || isFound) counts.get(name)[isTrue ? (isFound ? 'tp' : 'fn') : 'fp']++;
        if (isTrue !== isFound)
          wrong.push({ file, name, kind: isFound ? 'false alarm' : 'missed', note: label?.note ?? '' });
      }
    }
  }
}

const percent = (part, all) => (all === 0 ? '-' : `${((100 * part) / all).toFixed(1)} %`);
const rows = [...counts].map(([name, { tp, fp, fn }]) => {
  const none = dialogs - tp - fp - fn;
  return `| ${name} | ${tp} | ${fp} | ${fn} | ${none} | ${percent(tp, tp + fp)} | ${percent(tp, tp + fn)} |`;
});
const report = [
  `${dialogs} dialogs of ${captures} captures (${unreadable} more cannot be read as captures).`,
  '',
  '| detection | found, true | found, not true | missed | neither | precision | recall |',
  '|---|---|---|---|---|---|---|',
  ...rows,
  '',
  ...(wrong.length === 0 ? ['Nothing is wrong.'] : ['What is wrong:', '']),
  ...wrong.map((w) => `- ${w.kind}: \`${w.name}\` in ${basename(w.file)}${w.note === '' ? '' : `. ${w.note}`}`),
].join('\n');

if (has('--write')) {
  const [head] = readFileSync(PAGE, 'utf8').split(MARK);
  writeFileSync(PAGE, `${head}${MARK}\n\n${report}\n`);
} else if (!has('--fired')) console.log(report);
if (captures === 0) {
  console.error('diagnosis-accuracy: no captures found; name a folder');
  process.exitCode = 1;
}
