/** When streams without a call have rows: after thirty seconds of silence, every five minutes, at the end; none beside a call's. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALICE, BOB, basicCall } from '../../../../fixtures/build/basic-call.ts';
import { EPOCH_US } from '../../../../fixtures/build/capture.ts';
import { StreamShipper } from '../../../../src/actions/ship/stream-shipper.ts';
import type { Evidence } from '../../../../src/analysis/evidence.ts';
import { SHIP_ORPHANS, SHIP_ORPHANS_GONE } from '../../../../src/core/item-limits.ts';
import { ORIGINS } from '../../../../src/core/words.ts';
import { STREAM, STREAM_BYTES } from '../../../../src/protocols/rtp/stream-layout.ts';
import { StreamTable } from '../../../../src/protocols/rtp/stream-table.ts';
import { TrackerKit } from '../../ingest/dialogs/tracker-kit.ts';
import { StreamKit } from '../../store/media/stream-kit.ts';

const PLACES = 8_192;
const ELSEWHERE = { address: '203.0.113.99', port: 17_002 };

type Row = { readonly number: number; readonly stream: number; readonly version: number; readonly packets?: number };

/** A capture that begins at EPOCH_US; times are seconds after it. */
class Kit {
  readonly rows: Row[] = [];
  readonly dialogs = new TrackerKit();
  readonly streams = new StreamKit(this.dialogs.endpoints);
  readonly shipper: StreamShipper;
  readonly #view: DataView;
  readonly #quality = { streams: this.streams.store, windowSec: 5, nowUs: EPOCH_US, isExhausted: false };

  constructor(sendsUprobe = false) {
    const memory = new ArrayBuffer(PLACES * STREAM_BYTES);
    this.#view = new DataView(memory);
    this.streams.store.table = new StreamTable(() => memory, { streamBytes: STREAM_BYTES, streamChunk: PLACES });
    const quality = this.#quality;
    const capture = {
      quality,
      sources: [],
      get nowUs() {
        return quality.nowUs;
      },
    };
    let version = 0;
    this.shipper = new StreamShipper({
      evidence: () => ({ stores: { streams: this.streams.store }, capture }) as unknown as Evidence,
      shipper: { host: 'sbc1', boot: '0123456789abcdef' },
      sendsUprobe,
      nextVersion: () => ++version,
      add: (_table, lines) => this.rows.push(...lines.map((line) => JSON.parse(line) as Row)),
    });
  }

  /** A stream that is shown, with one packet so far. */
  open(from = ELSEWHERE, to = ELSEWHERE, sec = 0, origin = 0): number {
    const place = this.streams.open(from, to, { atUs: EPOCH_US + sec * 1e6, origin });
    this.#view.setUint32(place * STREAM_BYTES + STREAM.generation, 1, true);
    this.streams.accept(place);
    this.heard(place, 1, sec);
    return place;
  }

  /** The native table has counted so many packets of it. */
  heard(place: number, packets: number, sec: number): void {
    this.#view.setBigUint64(place * STREAM_BYTES + STREAM.packets, BigInt(packets), true);
    this.#view.setBigInt64(place * STREAM_BYTES + STREAM.lastNs, BigInt(EPOCH_US + sec * 1e6) * 1000n, true);
  }

  /** The place becomes another's: `isReused` says whether its counters are gone by now. */
  evict(place: number, isReused: boolean): void {
    if (isReused) this.#view.setUint32(place * STREAM_BYTES + STREAM.generation, 2, true);
    this.shipper.onStreamGone(this.streams.store.shown(place, 1) ?? assert.fail('it is shown'));
    this.streams.evict(place);
  }

  async at(sec: number): Promise<void> {
    this.#quality.nowUs = EPOCH_US + sec * 1e6;
    this.shipper.onTick(this.#quality.nowUs);
    await this.shipper.settled();
  }

  async seconds(from: number, to: number): Promise<void> {
    for (let sec = from; sec <= to; sec += 10) await this.at(sec);
  }

  /** A call whose descriptions name the sockets of ALICE and BOB. */
  call(): void {
    this.dialogs.play(basicCall('late'));
    for (const { key, claim } of this.dialogs.claims) this.streams.store.onClaim(key, claim);
  }

  callGone(): void {
    this.streams.store.onDialogGone(this.dialogs.dialog('late@calltap.example.com'));
  }

  /** Packets of each row, undefined where nothing is left of it. */
  get packets(): (number | undefined)[] {
    return this.rows.map((row) => row.packets);
  }
}

test('a stream that ends has one row when it has been silent for thirty seconds, and another when it continues', async () => {
  const kit = new Kit();
  await kit.at(0);
  const place = kit.open();
  kit.heard(place, 500, 10);
  await kit.seconds(10, 30);
  assert.equal(kit.rows.length, 0);
  await kit.seconds(40, 300);
  assert.deepEqual(kit.packets, [500]);
  assert.deepEqual([kit.rows[0]?.number, kit.rows[0]?.stream], [0, 1]);
  kit.heard(place, 700, 320);
  await kit.seconds(310, 700);
  assert.deepEqual(kit.packets.slice(-1), [700]);
  const { length } = kit.rows;
  await kit.seconds(710, 2_000);
  assert.equal(kit.rows.length, length, 'nothing new makes no row');
});

test('a stream that goes on has a row every five minutes, each of which replaces the last', async () => {
  const kit = new Kit();
  await kit.at(0);
  const place = kit.open();
  for (let sec = 10; sec <= 920; sec += 10) {
    kit.heard(place, sec * 50, sec);
    await kit.at(sec);
  }
  assert.deepEqual(kit.packets, [15_000, 30_000, 45_000]);
  assert.deepEqual(
    kit.rows.map(({ version }) => version),
    [1, 2, 3],
  );
  await kit.shipper.finish(() => Promise.resolve());
  assert.deepEqual(kit.packets.slice(-1), [46_000]);
});

test('a row is taken back when a call claims the stream, and comes no more when the call has gone', async () => {
  const kit = new Kit();
  await kit.at(0);
  const place = kit.open(ALICE.rtp, BOB.rtp);
  kit.heard(place, 500, -1);
  await kit.seconds(10, 40);
  assert.deepEqual(kit.packets, [500]);
  kit.call();
  assert.ok(kit.streams.store.shown(place, 1)?.dialog, 'the call has it');
  await kit.seconds(50, 70);
  assert.deepEqual(kit.packets, [500, undefined]);
  assert.deepEqual(
    [kit.rows[1]?.number, kit.rows[1]?.stream, kit.rows[1]?.version],
    [0, 1, 2],
    'under the key of the first',
  );
  kit.callGone();
  kit.heard(place, 900, 75);
  await kit.seconds(80, 1_000);
  await kit.shipper.finish(() => Promise.resolve());
  assert.equal(kit.rows.length, 2);
});

test('a stream of a call has no row here, also after the call has gone', async () => {
  const kit = new Kit();
  await kit.at(0);
  kit.call();
  kit.open(ALICE.rtp, BOB.rtp, 1);
  await kit.seconds(10, 60);
  kit.callGone();
  await kit.seconds(70, 1_000);
  await kit.shipper.finish(() => Promise.resolve());
  assert.equal(kit.rows.length, 0);
});

test('a row is taken back too where the call and the stream go before it was looked at', async () => {
  const kit = new Kit();
  await kit.at(0);
  const place = kit.open(ALICE.rtp, BOB.rtp, -1);
  await kit.seconds(10, 40);
  kit.call();
  kit.evict(place, false);
  assert.deepEqual(kit.packets, [1, undefined]);
});

test('what leaves the memory has its row before, or is counted', async () => {
  const kit = new Kit();
  await kit.at(0);
  const [early, late, told, changed] = [kit.open(), kit.open(), kit.open(), kit.open()];
  for (const place of [told, changed]) kit.heard(place, 50, -30);
  for (const place of [early, late]) kit.heard(place, 7, 25);
  await kit.seconds(10, 30);
  assert.deepEqual(kit.packets, [50, 50]);
  kit.evict(early, false);
  assert.deepEqual(kit.packets, [50, 50, 7]);
  kit.evict(late, true);
  kit.evict(told, false);
  kit.heard(changed, 60, 31);
  kit.evict(changed, true);
  assert.equal(kit.rows.length, 3);
  const { counters } = kit.shipper;
  assert.deepEqual([counters.get('streams_skipped'), counters.get('streams_stale')], [1, 1]);
});

test('a flood of streams gets so many rows a look, and so many a second when they go; the rest are counted', async () => {
  const kit = new Kit();
  await kit.at(0);
  const places = Array.from({ length: SHIP_ORPHANS + 300 }, (_, n) =>
    kit.open({ ...ELSEWHERE, port: n + 1 }, ELSEWHERE, -1),
  );
  await kit.at(30);
  assert.equal(kit.rows.length, SHIP_ORPHANS);
  for (const place of places) kit.evict(place, false);
  assert.equal(kit.rows.length, SHIP_ORPHANS + SHIP_ORPHANS_GONE);
  assert.equal(kit.shipper.counters.get('streams_skipped'), 300 - SHIP_ORPHANS_GONE);
  assert.equal(new Set(kit.rows.map(({ stream }) => stream)).size, kit.rows.length, 'no stream twice');
});

test('the streams that one look has no room for come with the next', async () => {
  const kit = new Kit();
  await kit.at(0);
  for (let n = 0; n < SHIP_ORPHANS + 300; n++) kit.open({ ...ELSEWHERE, port: n + 1 }, ELSEWHERE, -1);
  await kit.seconds(30, 60);
  assert.equal(kit.rows.length, SHIP_ORPHANS + 300);
});

test('what a probe read, and what cannot be of this time, has no row and is counted once', async () => {
  const kit = new Kit();
  await kit.at(0);
  kit.open(ELSEWHERE, ELSEWHERE, 0, ORIGINS.indexOf('uprobe'));
  kit.open(ELSEWHERE, ELSEWHERE, -500 * 86_400);
  await kit.seconds(10, 1_000);
  await kit.shipper.finish(() => Promise.resolve());
  assert.equal(kit.rows.length, 0);
  const { counters } = kit.shipper;
  assert.deepEqual([counters.get('streams_from_uprobe'), counters.get('streams_out_of_time')], [1, 1]);
  const open = new Kit(true);
  await open.at(0);
  open.open(ELSEWHERE, ELSEWHERE, -1, ORIGINS.indexOf('uprobe'));
  await open.seconds(10, 40);
  assert.equal(open.rows.length, 1);
});
