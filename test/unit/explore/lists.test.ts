/** Lists tell what is true of a call: the clock of a call that talks runs, and no good MOS stands for a direction that is missing. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { documentFactsSteps } from '../../../src/analysis/dialog-facts.ts';
import { FINDING_NAMES, findingNames } from '../../../src/analysis/finding-names.ts';
import { lacksNoDirection } from '../../../src/analysis/media/both-ways.ts';
import { CALL_FIELDS } from '../../../src/core/call-fields.ts';
import { packageRoot } from '../../../src/core/package.ts';
import { finish } from '../../../src/core/turns.ts';
import { changesSteps } from '../../../src/explore/changes.ts';
import type { Explorer } from '../../../src/explore/port.ts';
import { sortOf } from '../../../src/explore/question.ts';
import { parseFilter } from '../../../src/query/parse.ts';
import { openSession } from '../../helpers/open-session.ts';
import { readCapture, readCaptureFile } from '../../helpers/read-capture.ts';
import { Recorder } from '../../helpers/recorder.ts';

const DEMO = join(packageRoot(), 'fixtures/demo/demo.pcap');

async function listed(explorer: Explorer, q: string, sort = 'created'): Promise<string[]> {
  const parsed = parseFilter(q, { isUtc: true });
  assert.ok(parsed.ok, q);
  const page = await explorer.page({ filter: parsed.filter, sort: sortOf(sort) }, 100, '');
  return page.calls.map(({ call_id }) => call_id.replace(/@.*/, ''));
}

/** Calls that talk since 5, 65 and 95 s, one that rings, one that ended; the capture lasts 120 s. */
function talking(): Uint8Array {
  const recorder = new Recorder(1_700_000_000 * 1e6);
  const [here, there] = ['192.0.2.1', '203.0.113.1'];
  const sent: (readonly [sec: number, from: string, to: string, text: string])[] = [];
  const say = (sec: number, isBack: boolean, start: string, id: string, cseq: string, tag = ';tag=b'): void => {
    const head = `Via: SIP/2.0/UDP x;branch=z9hG4bK${id}${cseq.replace(' ', '')}\r\nFrom: <sip:1@x>;tag=a\r\nTo: <sip:2@x>${tag}\r\n`;
    const text = `${start}\r\n${head}Call-ID: ${id}@x\r\nCSeq: ${cseq}\r\n\r\n`;
    sent.push(isBack ? [sec, there, here, text] : [sec, here, there, text]);
  };
  const begin = (sec: number, id: string, answer: string | null): void => {
    say(sec, false, 'INVITE sip:2@x SIP/2.0', id, '1 INVITE', '');
    say(sec + 1, true, 'SIP/2.0 180 Ringing', id, '1 INVITE');
    if (answer === null) return;
    say(sec + 5, true, answer, id, '1 INVITE');
    say(sec + 5.1, false, 'ACK sip:2@x SIP/2.0', id, '1 ACK');
  };
  begin(0, 'long', 'SIP/2.0 200 OK');
  begin(60, 'short', 'SIP/2.0 200 OK');
  begin(90, 'shorter', 'SIP/2.0 200 OK');
  begin(10, 'rings', null);
  begin(20, 'ended', 'SIP/2.0 200 OK');
  say(50, false, 'BYE sip:2@x SIP/2.0', 'ended', '2 BYE');
  say(50.5, true, 'SIP/2.0 200 OK', 'ended', '2 BYE');
  say(120, false, 'OPTIONS sip:2@x SIP/2.0', 'ping', '1 OPTIONS', '');
  for (const one of sent.sort(([a], [b]) => a - b)) recorder.send(...one);
  return recorder.capture.pcap();
}

test('a call that talks lasts since its answer, in files until their end; others from their first message to the last', async (t) => {
  const { session } = await readCapture(t, talking(), ['--api', '127.0.0.1:0']);
  const { explorer } = session;
  const page = await explorer.page({ filter: null, sort: sortOf('-duration') }, 100, '');
  assert.deepEqual(
    page.calls.map(({ call_id, duration_sec }) => [call_id, duration_sec]),
    [
      ['long@x', 115],
      ['short@x', 55],
      ['ended@x', 30.5],
      ['shorter@x', 25],
      ['rings@x', 1],
      ['ping@x', 0],
    ],
  );
  assert.deepEqual(await listed(explorer, 'duration>50s'), ['long', 'short']);
  assert.deepEqual(await listed(explorer, 'duration:25s'), ['shorter']);
  // The documents of /v1 say what they always said.
  const dialogs = await explorer.dialogs({ limit: 10, offset: 0 });
  const long = dialogs.dialogs.find(({ call_id }) => call_id === 'long@x');
  assert.equal(long?.duration_sec, 5.1);
  assert.equal((await explorer.dialog('long@x')).duration_sec, 5.1);
  const { rows } = finish(changesSteps(session.evidence, 0));
  assert.equal(rows?.find(({ call_id }) => call_id === 'long@x')?.duration_sec, 115);
});

test('a call that lacks a direction, or all media, is worse than every MOS', async (t) => {
  const { session } = await readCaptureFile(t, DEMO, []);
  const { explorer } = session;
  const worst = (await listed(explorer, '', 'mos')).slice(0, 4);
  assert.deepEqual(worst, ['one-way-audio', 'no-media', 'jitter', 'packet-loss']);
  const best = await listed(explorer, 'mos>=0', '-mos');
  assert.deepEqual(best.slice(-4), ['packet-loss', 'jitter', 'one-way-audio', 'no-media']);
  assert.deepEqual(await listed(explorer, 'mos<3'), ['one-way-audio', 'jitter', 'no-media']);
  assert.deepEqual(await listed(explorer, 'mos<3 -finding:one-way-audio,no-media'), ['jitter']);
  assert.ok(!(await listed(explorer, 'mos>4')).includes('one-way-audio'));
  // What was measured of the direction that was heard stays.
  const page = await explorer.page({ filter: null, sort: sortOf('mos') }, 1, '');
  assert.equal(page.calls[0]?.mos_worst, 4.4093);
});

test('what stands in the place of a figure are findings', () => {
  for (const name of Object.keys(CALL_FIELDS.mos_worst.worst))
    assert.ok(
      FINDING_NAMES.some((one) => one === name),
      name,
    );
});

test('a call whose streams run both ways is not judged for its place, and none of those lacks a direction', async (t) => {
  const folder = join(packageRoot(), 'fixtures');
  const captures = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.pcap(ng)?$/.test(name),
  );
  let [quick, silent] = [0, 0];
  for (const name of captures) {
    const session = openSession(['-I', join(folder, name)]);
    t.after(() => session.close());
    await session.read([join(folder, name)], () => undefined);
    for (const d of session.dialogs.oldestFirst()) {
      const names = findingNames(finish(documentFactsSteps(session.evidence, d)));
      const lacks = names.filter((one) => one in CALL_FIELDS.mos_worst.worst);
      silent += Number(lacks.length > 0);
      if (!lacksNoDirection(session.evidence, d)) continue;
      quick += Number(session.evidence.stores.streams.ownedBy(d).length > 0);
      assert.deepEqual(lacks, [], `${name}: ${d.callId}`);
    }
  }
  assert.ok(quick > 10 && silent > 1, `${quick} of which ${silent}`);
});
