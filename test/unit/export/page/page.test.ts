/** The page of a call: what stands on it, how large it may be, and that neither a text breaks out of it nor a secret gets in. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { Capture, EPOCH_US } from '../../../../fixtures/build/capture.ts';
import { finish } from '../../../../src/core/turns.ts';
import { callPage, PAGE_BEGIN } from '../../../../src/export/page/call-page.ts';
import type { PageInput } from '../../../../src/export/page/page-input.ts';
import { reportSteps } from '../../../../src/view/report-input.ts';
import { hostileCapture } from '../../../helpers/hostile-calls.ts';
import { largeDialog, manyStreams } from '../../../helpers/large-dialog.ts';
import type { OpenSession } from '../../../helpers/open-session.ts';
import { openSession } from '../../../helpers/open-session.ts';
import { readCapture, readCaptureFile, temporaryFolder } from '../../../helpers/read-capture.ts';
import type { StrictPage } from '../../../helpers/strict-page.ts';
import { readStrictly } from '../../../helpers/strict-page.ts';

const DEMO = 'fixtures/demo/demo.pcap';
const HOST = '@pbx.example.com';
const ALL = { filter: null, sort: { by: 'created', isDescending: false } } as const;

let demo: OpenSession;
before(async () => {
  demo = openSession(['-I', DEMO, '--api', '127.0.0.1:1']);
  await demo.read([DEMO], () => undefined);
});
after(() => demo.close());

async function pageOf({ explorer }: OpenSession, callIds: readonly string[], notes: string[] = []): Promise<string> {
  return explorer.html(callIds, { notes, isUtc: true });
}

async function strictPage(callId: string, ...legs: string[]): Promise<StrictPage> {
  return readStrictly(
    await pageOf(
      demo,
      [callId, ...legs].map((id) => `${id}${HOST}`),
    ),
  );
}

test('each call of the demo has its page: every section, every message, every stream', async () => {
  for (const call of demo.explorer.calls(ALL)) {
    const { call_id, msg_count, state } = call;
    const page = await pageOf(demo, [call_id]);
    assert.match(page, PAGE_BEGIN);
    const { counts, ids, text } = readStrictly(page);
    for (const id of ['findings', 'ladder', 'quality', 'facts', 'messages']) assert.ok(ids.has(id), `${call_id} ${id}`);
    const { streams } = await demo.explorer.quality(call_id);
    assert.equal(counts.get('article'), msg_count, call_id);
    assert.equal(counts.get('g.step'), msg_count, call_id);
    assert.equal(counts.get('g.flow') ?? 0, 2 * streams.length, `${call_id}: a bar in the ladder, and one in its lane`);
    assert.ok(text.includes(state) && text.includes(call_id), call_id);
    const { hints } = await demo.explorer.head(call_id);
    for (const hint of hints) assert.ok(text.includes(hint.replaceAll('"', '&quot;')), `${call_id}: ${hint}`);
  }
});

test('the head says how it ended, why, and who hung up', async () => {
  const { text } = await strictPage('packet-loss');
  assert.match(text, /INVITE \+12025550143 \u2192 Dana Novak &lt;2004&gt; 2025-03-04 09:00:14\.000 UTC, 14\.9 s/);
  assert.match(text, /Completed 200 OK Packet loss from 203\.0\.113\.40:30140 to .* The caller hung up\./);
  assert.match(text, /Made by calltap \d+\.\d+\.\d+\S* at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} UTC\./);
  assert.match((await strictPage('busy')).text, /Failed 486 Busy Here The callee refused|Failed 486 Busy Here/);
  const well = await strictPage('good-g711');
  assert.match(well.text, /Nothing that calltap looks for is wrong with this call\./);
});

test('a direction that never came is drawn in the ladder and in the lanes; both are where nothing came', async () => {
  const oneWay = await strictPage('one-way-audio');
  assert.equal(oneWay.counts.get('g.missing'), 2);
  assert.match(oneWay.text, /192\.0\.2\.10:12020 \u2192 198\.51\.100\.23:11840 .*no RTP/);
  assert.equal((await strictPage('no-media')).counts.get('g.missing'), 2);
  assert.equal((await strictPage('good-g711')).counts.get('g.missing'), undefined);
});

test('a hold is a segment of its lane, the limits are drawn, and a stream has a line in each picture', async () => {
  const { counts, text } = await strictPage('hold-resume');
  assert.equal(counts.get('g.held'), 1);
  assert.match(text, /on hold 09:00:40\.980 to 09:00:45\.040/);
  assert.match(
    text,
    /MOS \u2013 poor below 3\.6 .* Loss in % \u2013 heard from 1 % .* Jitter in ms \u2013 heard from 30 ms/,
  );
  assert.deepEqual([counts.get('figure'), counts.get('path.limit'), counts.get('path.line')], [3, 3, 6]);
});

test('legs have letters and colours, and findings lead to the messages that show them', async () => {
  const { counts, text, ids } = await strictPage('transfer', 'transfer-target');
  assert.match(text, /A transfer@pbx\.example\.com this call B transfer-target@pbx\.example\.com another leg/);
  assert.equal(counts.get('svg.rows'), 1);
  assert.ok(ids.has('m0-0') && ids.has('m1-0'));
  const page = await pageOf(demo, [`auth-loop${HOST}`]);
  assert.match(page, /Shown by <a href="#m0-\d+">message \d+<\/a>/);
  assert.match(await pageOf(demo, [`busy${HOST}`], ['Legs are missing: a note.']), /Legs are missing: a note\./);
});

test('what the capture dropped itself is hatched, and said', async () => {
  const input = await inputOf(`packet-loss${HOST}`);
  const [own = []] = input.streams;
  const at = { from: own[0]?.first_seen ?? '', to: own[0]?.last_seen ?? '' };
  const streams = own.map((s) => ({
    ...s,
    not_known: 'not known (4 of 9)',
    spans: [{ kind: 'dropped' as const, ...at }],
  }));
  const page = finish(callPage({ ...input, streams: [streams], limits: ['The ring was full (x 4).'] }));
  const { counts, text } = readStrictly(page);
  assert.equal(counts.get('g.dropped'), own.length);
  assert.match(text, /What limits this page The ring was full \(x 4\)\. The capture dropped packets itself/);
  assert.match(text, /Loss of stream a is not known \(4 of 9\)/);
});

test('credentials, keys and passwords are not in its bytes', async (t) => {
  const auth = await pageOf(demo, [`auth-loop${HOST}`]);
  assert.match(auth, /Proxy-Authorization: \[removed\]/);
  assert.doesNotMatch(auth, /response=|nonce=/);
  const [caller, callee] = [
    { address: '203.0.113.9', port: 5060 },
    { address: '192.0.2.2', port: 5060 },
  ];
  const secrets = ['S3CRETPASS', 'S3CRETKEY', 'S3CRETDIGEST', 'S3CRETICE'];
  const body =
    'v=0\r\no=- 1 1 IN IP4 203.0.113.9\r\ns=-\r\nc=IN IP4 203.0.113.9\r\nt=0 0\r\nm=audio 4000 RTP/SAVP 0\r\n' +
    'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:S3CRETKEY\r\na=ice-pwd:S3CRETICE\r\nk=clear:S3CRETKEY\r\n';
  const invite =
    'INVITE sip:bob:S3CRETPASS@192.0.2.2 SIP/2.0\r\nVia: SIP/2.0/UDP 203.0.113.9:5060;branch=z9hG4bK1\r\n' +
    'From: "sip:a:S3CRETPASS@b" <sip:alice:S3CRETPASS@203.0.113.9>;tag=1\r\nTo: <sip:bob:S3CRETPASS@192.0.2.2>\r\n' +
    'Call-ID: secrets\r\nCSeq: 1 INVITE\r\nContact: <sip:alice:S3CRETPASS@203.0.113.9>\r\n' +
    'Max-Forwards: <sip:x:S3CRETPASS@y>\r\nAuthorization: Digest username="a", response="S3CRETDIGEST"\r\n' +
    `Content-Type: application/sdp\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const refused =
    'SIP/2.0 403 Go sip:x:S3CRETPASS@y\r\nVia: SIP/2.0/UDP 203.0.113.9:5060;branch=z9hG4bK1\r\n' +
    'From: <sip:alice@203.0.113.9>;tag=1\r\nTo: <sip:bob@192.0.2.2>;tag=2\r\nCall-ID: secrets\r\nCSeq: 1 INVITE\r\n' +
    'Warning: 399 x "sip:w:S3CRETPASS@y"\r\nWWW-Authenticate: Digest nonce="S3CRETDIGEST"\r\nContent-Length: 0\r\n\r\n';
  const capture = new Capture().add([
    { tsUs: EPOCH_US, src: caller, dst: callee, bytes: Buffer.from(invite) },
    { tsUs: EPOCH_US + 20_000, src: callee, dst: caller, bytes: Buffer.from(refused) },
  ]);
  const { session } = await readCapture(t, capture.pcap());
  const page = await pageOf(session, ['secrets']);
  assert.equal(readStrictly(page).counts.get('article'), 2);
  for (const secret of secrets)
    assert.ok(!page.includes(secret), `${secret}: ${page.slice(page.indexOf(secret) - 200)}`);
});

test('hostile calls stay text: no element of theirs, no control character, no turned text', async (t) => {
  const { path, texts } = hostileCapture(temporaryFolder(t));
  const { session } = await readCaptureFile(t, path);
  const pages: string[] = [];
  for (const { call_id } of session.explorer.calls(ALL))
    pages.push(readStrictly(await pageOf(session, [call_id])).text);
  assert.equal(pages.length, texts.length);
  assert.ok(pages.some((text) => text.includes('&lt;img src=x onerror=alert(1)&gt;')));
});

test('its size is bounded, and it says what was left out', async (t) => {
  const large = await readCapture(t, largeDialog(500, 40_000, { fill: '<' }).pcap());
  const page = await pageOf(large.session, ['large']);
  assert.ok(page.length < 3_500_000, `${page.length}`);
  const { text, counts } = readStrictly(page);
  assert.match(text, /\d+ messages are left out: the page has no room for them\./);
  assert.match(text, /\d+ more characters of this message are left out\./);
  assert.equal(counts.get('g.step'), 500);
  const streams = await readCapture(t, manyStreams(100).pcap());
  const many = readStrictly(await pageOf(streams.session, ['large']));
  assert.match(
    many.text,
    /The pictures show 8 of 100 streams\. .*The ladder leaves out 36 streams|The ladder leaves out 36 streams/,
  );
  assert.match(many.text, /The pictures show 8 of 100 streams\./);
});

/** What the page of a call of the demo is made of, as copies. */
async function inputOf(callId: string): Promise<PageInput> {
  const { explorer, evidence, dialogs } = demo;
  const d = dialogs.get(callId);
  assert.ok(d !== undefined);
  const { streams } = await explorer.quality(callId);
  const ladder = await explorer.ladder([callId]);
  const documents = {
    document: await explorer.call(callId),
    head: await explorer.head(callId),
    report: finish(reportSteps(evidence, d)),
    ladder,
    messages: await explorer.messages([callId], { showsSecrets: false }),
    streams: [streams],
    limits: ['a limit'],
  };
  return { ...(JSON.parse(JSON.stringify(documents)) as typeof documents), madeUs: EPOCH_US, isUtc: true };
}

/** The value with each text in it replaced. */
function replaced(value: unknown, next: (text: string) => string): unknown {
  if (typeof value === 'string') return next(value);
  if (Array.isArray(value)) return value.map((one) => replaced(one, next));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, replaced(one, next)]));
}

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({
    unit: fc.constantFrom('<', '>', '"', "'", '&', '/', '!', '-', '=', ' ', '\n', '\r', '\t', 'a', '`'),
    maxLength: 40,
  }),
  fc.constantFrom(
    ...[
      '</pre><script>alert(1)</script>',
      '"><img src=x onerror=alert(1)>',
      '</style></title>',
      '<!--',
      ']]>',
      '&lt',
      '&#60;',
    ],
    ...['\u202e\u2066', '\u0000', '\ud800', '\udc00<', '</svg></a>', "' onload='alert(1)", 'x'.repeat(2_000)],
  ),
);

test('whatever stands in any text of its documents never leaves its element', async () => {
  for (const name of ['hold-resume', 'auth-loop', 'one-way-audio']) {
    const input = await inputOf(`${name}${HOST}`);
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 1, maxLength: 12 }), fc.boolean(), (texts, keepsTimes) => {
        let i = 0;
        const next = (text: string): string => {
          if (keepsTimes && /^\d{4}-\d\d-\d\dT/.test(text)) return text;
          return `${texts[i++ % texts.length]}`;
        };
        const damaged = replaced(input, next) as PageInput;
        // An id is made of the place of the call, so that a name that is another's finds none.
        const page = finish(callPage({ ...damaged, madeUs: EPOCH_US, isUtc: true }));
        assert.match(page, PAGE_BEGIN);
        readStrictly(page);
      }),
      { numRuns: 40, includeErrorInReport: true },
    );
  }
});
