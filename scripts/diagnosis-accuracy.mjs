/**
 * Measures diagnosis against captures whose truth is known: precision and recall of each finding, every call that it gets
 * wrong, and how many healthy calls have a false alarm.
 *
 *   node scripts/diagnosis-accuracy.mjs [--write] FOLDER...
 *
 * A folder with a `deeds.jsonl` holds calls of which is known what was done to them: a line a call and tap, with `capture`
 * (a file's name without its ending, in the folder or in one below), `call_id`, `healthy`, `should` (what must be said),
 * `may` (what may be said without being wrong) and `note`. Captures of other folders are judged by
 * fixtures/diagnosis-truth.tsv. --write puts the results into docs/diagnosis-accuracy.md. Run `npm run build` first.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { callFacts, streamNames, WORDS } from '../dist/test/helpers/call-facts.js';
import { DETECTIONS, detectionsOf } from '../dist/test/helpers/detections.js';
import { readDeeds, readTruth, withLoss } from '../dist/test/helpers/labels.js';
import { measuredLoss } from '../dist/test/helpers/measured-loss.js';
import { openSession } from '../dist/test/helpers/open-session.js';
import { originText, score, scoreText } from '../dist/test/helpers/score.js';
import { root } from './steps/files.mjs';
import { withPart } from './steps/page.mjs';
import { say } from './steps/run.mjs';

const PAGE = join(root, 'docs/diagnosis-accuracy.md');
const TRUTH = join(root, 'fixtures/diagnosis-truth.tsv');
const CAPTURE = /\.(pcap|pcapng|cap)(\.gz)?$/;
const EVERY_PORT = ['-E', '--portrange', '1-65535', '--ws-portrange', '1-65535'];

/** Words of older labels for what is a finding by now. */
const ONCE = { 'late-media': 'hint:late' };

const inOldWords = (said) => [...new Set([...said, ...said.flatMap((name) => ONCE[name] ?? [])])];

/** Captures of a folder and of those in it, by name; of two with one name the first. */
function capturesIn(folder) {
  const found = new Map();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const file = name.split('/').at(-1);
    if (CAPTURE.test(file) && !found.has(file)) found.set(file, join(folder, name));
  }
  return found;
}

/** What `readCall` reads of each call of a capture, by Call-ID; null for a file that cannot be read. */
async function readCalls(path, options, readCall) {
  const session = openSession(['-I', path, ...options]);
  try {
    await session.read([path], () => undefined);
    return new Map([...session.dialogs.oldestFirst()].map((d) => [d.callId, readCall(session, d)]));
  } catch {
    return null;
  } finally {
    session.close();
  }
}

/** The calls that the labels name; of the others nothing is known. */
async function judgeDeeds(folder) {
  const captures = capturesIn(folder);
  const judged = [];
  for (const [capture, labels] of readDeeds(readFileSync(join(folder, 'deeds.jsonl'), 'utf8'))) {
    const path = [...captures].find(([file]) => file.replace(CAPTURE, '') === capture)?.[1];
    const calls =
      path === undefined
        ? null
        : await readCalls(path, [], (s, d) => ({ said: inOldWords(callFacts(s, d)), streams: streamNames(s, d) }));
    const loss = calls === null ? new Map() : measuredLoss(path);
    if (calls === null) say(`diagnosis-accuracy: ${capture} is missing or cannot be read; its calls count as missed`);
    for (const [callId, label] of labels) {
      const { said, streams } = calls?.get(callId) ?? { said: null, streams: [] };
      judged.push({
        ...withLoss(
          label,
          streams.map((name) => loss.get(name)),
        ),
        said,
      });
    }
  }
  return judged;
}

/** Every call of every capture: one without a label has nothing wrong in it. */
async function judgeOlder(folders) {
  const labels = readTruth(readFileSync(TRUTH, 'utf8'));
  const judged = [];
  const captures = new Map(folders.flatMap((folder) => [...capturesIn(folder)]));
  let read = 0;
  for (const [capture, path] of captures) {
    const said = await readCalls(path, EVERY_PORT, detectionsOf);
    if (said === null) continue;
    read++;
    for (const [callId, names] of said) {
      const label = labels.get(capture)?.get(callId) ?? {
        origin: capture,
        isHealthy: true,
        must: [],
        may: [],
        note: '',
      };
      judged.push({ ...label, said: names });
    }
  }
  return { judged, read, unread: captures.size - read };
}

/** Puts a section into the page, or prints it. */
function publish(name, text) {
  if (process.argv.includes('--write')) writeFileSync(PAGE, withPart(readFileSync(PAGE, 'utf8'), name, text));
  else console.log(`${text.join('\n')}\n`);
}

async function main(folders) {
  const gone = folders.find((folder) => !existsSync(folder));
  if (folders.length === 0) throw new Error('name folders of captures');
  if (gone !== undefined) throw new Error(`${gone} is not there; name folders of captures`);
  const [deeds, older] = [true, false].map((is) => folders.filter((f) => existsSync(join(f, 'deeds.jsonl')) === is));
  if (deeds.length > 0) {
    const judged = (await Promise.all(deeds.map(judgeDeeds))).flat();
    publish('known deeds', [originText(judged), '', scoreText(score(judged, [...WORDS, ...Object.values(ONCE)]))]);
  }
  if (older.length > 0) {
    const { judged, read, unread } = await judgeOlder(older);
    const size = `${judged.length} dialogs of ${read} captures (${unread} more cannot be read as captures).`;
    publish('older captures', [size, '', scoreText(score(judged, DETECTIONS))]);
  }
}

try {
  await main(process.argv.slice(2).filter((word) => !word.startsWith('--')));
} catch (error) {
  say(`diagnosis-accuracy: ${error.message}`);
  process.exitCode = 1;
}
