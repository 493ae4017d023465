/** Streams that are shipped as the capture goes on, over a native table that the test writes. */
import assert from 'node:assert/strict';
import { basicCall } from '../../../../fixtures/build/basic-call.ts';
import { EPOCH_US } from '../../../../fixtures/build/capture.ts';
import { StreamShipper } from '../../../../src/actions/ship/stream-shipper.ts';
import type { Evidence } from '../../../../src/analysis/evidence.ts';
import { Turns } from '../../../../src/core/turns.ts';
import { STREAM, STREAM_BYTES } from '../../../../src/protocols/rtp/stream-layout.ts';
import { StreamTable } from '../../../../src/protocols/rtp/stream-table.ts';
import { TrackerKit } from '../../ingest/dialogs/tracker-kit.ts';
import { StreamKit } from '../../store/media/stream-kit.ts';

const PLACES = 8_192;
export const ELSEWHERE = { address: '203.0.113.99', port: 17_002 };

export type StreamRow = {
  readonly number: number;
  readonly stream: number;
  readonly version: number;
  readonly packets?: number;
};

/** A shipper over streams; the capture begins at EPOCH_US, and times are seconds after it. */
export class ShippedStreams {
  readonly rows: StreamRow[] = [];
  readonly dialogs = new TrackerKit();
  readonly streams = new StreamKit(this.dialogs.endpoints);
  readonly shipper: StreamShipper;
  readonly #view: DataView;
  readonly #quality = {
    streams: this.streams.store,
    windowSec: 5,
    nowUs: EPOCH_US,
    isExhausted: false,
    dropsOf: () => [],
  };

  constructor(sendsUprobe = false) {
    const memory = new ArrayBuffer(PLACES * STREAM_BYTES);
    this.#view = new DataView(memory);
    this.streams.store.table = new StreamTable(() => memory, { streamBytes: STREAM_BYTES, streamChunk: PLACES });
    const quality = this.#quality;
    const capture = {
      quality,
      clockSteps: [],
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
      turns: new Turns(() => performance.now()),
      add: (line) => this.rows.push(JSON.parse(line) as StreamRow),
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
