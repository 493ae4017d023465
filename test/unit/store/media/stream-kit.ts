/** Streams as the native table announces them, without a native table: their counters are not there, their owners are. */

import assert from 'node:assert/strict';
import type { Endpoint } from '../../../../fixtures/build/packet.ts';
import { parseIpv4 } from '../../../../src/core/ip.ts';
import { STREAM_BYTES } from '../../../../src/protocols/rtp/stream-layout.ts';
import { StreamTable } from '../../../../src/protocols/rtp/stream-table.ts';
import { emptyPacket } from '../../../../src/sources/packet.ts';
import { DialogStore } from '../../../../src/store/dialogs/dialog-store.ts';
import { EndpointIndex } from '../../../../src/store/media/endpoint-index.ts';
import type { Stream } from '../../../../src/store/media/stream.ts';
import { StreamStore } from '../../../../src/store/media/stream-store.ts';

export type OpenedOptions = {
  readonly atUs?: number;
  readonly ssrc?: number;
  readonly origin?: number;
  /** An index that was used before, and how often it is now. */
  readonly index?: number;
  readonly generation?: number;
};

export class StreamKit {
  readonly store: StreamStore;
  #next = 0;

  constructor(endpoints: EndpointIndex = new EndpointIndex(new DialogStore(1, () => undefined))) {
    this.store = new StreamStore(endpoints);
    this.store.table = new StreamTable(() => undefined, { streamBytes: STREAM_BYTES, streamChunk: 64 });
  }

  /** A candidate's first packet; returns its index in the table. */
  open(src: Endpoint, dst: Endpoint, o: OpenedOptions = {}): number {
    const addresses = new Uint8Array(32);
    const view = new DataView(addresses.buffer);
    view.setUint32(0, parseIpv4(src.address));
    view.setUint32(16, parseIpv4(dst.address));
    const index = o.index ?? this.#next++;
    this.store.onOpened(index, o.generation ?? 1, o.ssrc ?? 0x1000 + index, {
      ...emptyPacket(addresses),
      origin: o.origin ?? 0,
      tsUs: o.atUs ?? 1000,
      srcPort: src.port,
      dstPort: dst.port,
    });
    return index;
  }

  accept(index: number): void {
    this.store.onAccepted(index, 1);
  }

  evict(index: number, generation = 1): void {
    this.store.onEvicted(index, generation);
  }

  /** A stream that is shown, as the store has it. */
  stream(src: Endpoint, dst: Endpoint, o: OpenedOptions = {}): Stream {
    const before = new Set(this.store.fromNewest());
    this.accept(this.open(src, dst, o));
    const [made] = [...this.store.fromNewest()].filter((s) => !before.has(s));
    return made ?? assert.fail('the stream is shown');
  }
}
