/**
 * A capture given in parts is the capture: whichever way it was split, in whatever order the parts are named, every
 * answer is that of the whole, but for the frames it points at.
 */
import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { packageRoot } from '../../src/core/package.ts';
import { Turns } from '../../src/core/turns.ts';
import { captureReport } from '../../src/view/capture-report.ts';
import { streamDocument } from '../../src/view/documents.ts';
import { lossesByReason } from '../../src/view/losses.ts';
import { toStats } from '../../src/view/stats.ts';
import { dialogDocument } from '../helpers/at-once.ts';
import { openSession } from '../helpers/open-session.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import type { CaptureRecords } from '../helpers/split-capture.ts';
import { directionOf, fileOf, partsBy, readRecords, stampedAt } from '../helpers/split-capture.ts';

const FIXTURES = join(packageRoot(), 'fixtures');
const CASES = readdirSync(join(FIXTURES, 'pcap')).map((name) => join(FIXTURES, 'pcap', name));
const DEMO = join(FIXTURES, 'demo/demo.pcap');

/**
 * Everything that is answered about the captures, without what names their frames or this process. Calls and streams that
 * began in the same microsecond have no order that a split capture could tell: they are told by their names.
 */
async function answersOf(paths: readonly string[]): Promise<{ answers: unknown; copies: number }> {
  const session = openSession(['--json', ...paths.flatMap((path) => ['-I', path])]);
  try {
    await session.read(paths, (path, { end }) => assert.equal(end, 'ok', path));
    // The copies are counted; everything else is as if there were none.
    const { frame_copies: copies = 0, ...losses } = lossesByReason(session.figures);
    const {
      capture_identity: _identity,
      capture_name: _name,
      uptime_sec: _uptime,
      ...stats
    } = toStats(session.figures);
    const report = await captureReport(session.figures, new Turns(() => performance.now())).read();
    const answers = {
      dialogs: byText([...session.dialogs.oldestFirst()].map((d) => dialogDocument(session.evidence, d))),
      streams: byText([...session.streams.fromNewest()].map((s) => streamDocument(session.evidence, s))),
      stats: { ...stats, losses },
      report,
    };
    return { answers, copies };
  } finally {
    session.close();
  }
}

function byText(documents: readonly unknown[]): string[] {
  return documents.map((d) => JSON.stringify(d, (key, value: unknown) => (key === 'frame' ? undefined : value))).sort();
}

/** The second tap saw every packet too, up to 19 ms later; it wrote its file as its packets came, or by their stamps. */
function taps({ fileHeader, records }: CaptureRecords, picks: readonly number[]): Buffer[] {
  const late = records.map((r, i) => stampedAt(r, r.tsUs + (picks[i % picks.length] ?? 0) * 19));
  if ((picks[0] ?? 0) % 2 === 0) late.sort((a, b) => a.tsUs - b.tsUs);
  return [fileOf(fileHeader, records), fileOf(fileHeader, late)];
}

/** Which part each record goes to. */
type Split = (capture: CaptureRecords, picks: readonly number[]) => Buffer[];

const SPLITS: Readonly<Record<string, Split>> = {
  'at random': (capture, picks) => partsBy(capture, (_r, i) => (picks[i % picks.length] ?? 0) % 3),
  'by time': (capture, picks) => {
    const size = 1 + ((picks[0] ?? 0) % capture.records.length);
    return partsBy(capture, (_r, i) => Math.floor(i / size) % 40);
  },
  'by direction': (capture) => partsBy(capture, directionOf),
  'by tap': taps,
};

for (const [name, split] of Object.entries(SPLITS))
  test(`a capture split ${name} is answered like the whole`, async (t) => {
    const folder = temporaryFolder(t);
    const whole = new Map<string, unknown>();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...CASES, ...CASES.map(() => DEMO)),
        fc.array(fc.nat(1000), { minLength: 97, maxLength: 97 }),
        fc.nat(),
        async (path, picks, turn) => {
          const parts = split(readRecords(path), picks);
          const paths = parts.map((bytes, i) => {
            const part = join(folder, `part-${(i * 7 + turn) % 97}-${i}.pcap`);
            writeFileSync(part, bytes);
            return part;
          });
          // Any order: turned, then reversed or not.
          const at = turn % paths.length;
          const given = [...paths.slice(at), ...paths.slice(0, at)];
          if (turn % 2 === 1) given.reverse();
          const wanted = whole.get(path) ?? (await answersOf([path])).answers;
          whole.set(path, wanted);
          const { answers, copies } = await answersOf(given);
          assert.deepEqual(answers, wanted, `${path} in ${given.length} parts`);
          assert.equal(copies, name === 'by tap' ? readRecords(path).records.length : 0);
        },
      ),
      { numRuns: 3 },
    );
  });
