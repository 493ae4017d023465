/** What functions under proof moved is handed on once they are proven, in its order, and never before. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allocateSlabs } from '../../../../src/sources/capture-memory.ts';
import type { RecordBatch } from '../../../../src/sources/record-batch.ts';
import { KIND, OFFSET, RECORD_BYTES } from '../../../../src/sources/records.ts';
import { HeldRecords } from '../../../../src/sources/tls/held.ts';
import { PROOF_STATE } from '../../../../src/sources/tls/native-tls.ts';
import { TlsProofs } from '../../../../src/sources/tls/proofs.ts';

type Sent = { readonly proof: number; readonly text: string; readonly kind?: number };

function setUp() {
  const states = new Map<number, number>();
  const proofs = new TlsProofs({ proof: (row) => ({ state: states.get(row) ?? PROOF_STATE.UNPROVEN, calls: 0 }) });
  const held = new HeldRecords(proofs);
  const shown: string[] = [];
  const handOn = (batch: RecordBatch, count: number): void => {
    for (let i = 0; i < count; i++)
      shown.push(batch.data.toString('latin1', batch.off(i), batch.off(i) + batch.len(i)));
  };
  const take = (...sent: readonly Sent[]): void => {
    const { batches } = allocateSlabs(1);
    const [batch] = batches;
    assert.ok(batch !== undefined);
    let at = 0;
    sent.forEach(({ proof, text, kind = KIND.TLS_DATA }, i) => {
      const view = new DataView(batch.bytes.buffer, batch.bytes.byteOffset + i * RECORD_BYTES);
      view.setUint32(OFFSET.off, at, true);
      view.setUint32(OFFSET.len, text.length, true);
      view.setUint32(OFFSET.link, proof, true);
      view.setUint8(OFFSET.kind, kind);
      at += batch.data.write(text, at, 'latin1');
    });
    held.take(batch, sent.length, handOn);
    // The slab is used again at once.
    batch.data.fill(0);
  };
  return { states, proofs, held, shown, take, settle: () => held.settle(handOn) };
}

test('what needs no proof passes; what does waits, and comes in its order', () => {
  const { states, proofs, held, shown, take, settle } = setUp();
  const [read, write] = proofs.begin('file', ['SSL_read', 'SSL_write'], 0) ?? [];
  assert.ok(read !== undefined && write !== undefined);
  take({ proof: 0, text: 'other' }, { proof: read.row, text: 'r1' }, { proof: write.row, text: 'w1' });
  assert.deepEqual(shown, ['other']);
  states.set(read.row, PROOF_STATE.PROVEN);
  take({ proof: read.row, text: 'r2' });
  assert.deepEqual(shown, ['other'], 'the other direction is awaited');
  states.set(write.row, PROOF_STATE.PROVEN);
  take({ proof: 0, text: 'end', kind: KIND.TLS_CLOSE }, { proof: write.row, text: 'w2' });
  assert.deepEqual(shown, ['other', 'r1', 'w1', 'r2', 'w2', 'end']);
  settle();
  assert.ok(!held.isHolding);
  assert.equal(held.dropped, 0);
  assert.deepEqual(
    proofs.decided().map(({ name, state }) => `${name} ${state}`),
    ['SSL_read proven', 'SSL_write proven'],
  );
  assert.deepEqual(proofs.decided(), []);
});

test('nothing of a function that is another is shown; a proven one beside it is', () => {
  const { states, proofs, held, shown, take, settle } = setUp();
  const [read, write] = proofs.begin('file', ['SSL_read', 'SSL_write'], 0) ?? [];
  assert.ok(read !== undefined && write !== undefined);
  take({ proof: read.row, text: 'r1' }, { proof: write.row, text: 'w1' });
  states.set(read.row, PROOF_STATE.PROVEN);
  states.set(write.row, PROOF_STATE.REFUTED);
  settle();
  take({ proof: write.row, text: 'w2' });
  assert.deepEqual(shown, ['r1']);
  assert.equal(held.dropped, 2);
});

test('what waits is bounded, and is given up at the end', () => {
  const { proofs, held, shown, take } = setUp();
  const [read] = proofs.begin('file', ['SSL_read'], 0) ?? [];
  assert.ok(read !== undefined);
  const text = '.'.repeat(200_000);
  for (let i = 0; i < 30; i++) take({ proof: read.row, text });
  assert.equal(held.dropped, 10, '4 MiB hold twenty of them');
  held.finish();
  assert.equal(held.dropped, 30);
  assert.deepEqual(shown, []);
});

test('a proven direction waits for the other a second at most', async () => {
  const { states, proofs, shown, take, settle } = setUp();
  const [read, write] = proofs.begin('file', ['SSL_read', 'SSL_write'], 0) ?? [];
  assert.ok(read !== undefined && write !== undefined);
  take({ proof: read.row, text: 'r1' }, { proof: write.row, text: 'w1' });
  states.set(read.row, PROOF_STATE.PROVEN);
  proofs.look(read.row);
  read.provenAtMs -= 1_000;
  settle();
  assert.deepEqual(shown, ['r1']);
});

test('rows are used again last, and are refused when all are under proof', () => {
  const { states, proofs } = setUp();
  const first = proofs.begin('one', ['SSL_read'], 0) ?? [];
  const second = proofs.begin('two', ['SSL_read'], 0) ?? [];
  assert.deepEqual([first[0]?.row, second[0]?.row], [1, 2]);
  states.set(1, PROOF_STATE.PROVEN);
  proofs.look(1);
  const many = proofs.begin('three', Array<string>(1_021).fill('SSL_read'), 0) ?? [];
  assert.deepEqual([many.length, many[0]?.row, many.at(-1)?.row], [1_021, 3, 1_023]);
  assert.deepEqual(proofs.begin('four', ['SSL_read'], 0)?.[0]?.row, 1);
  assert.equal(proofs.begin('five', ['SSL_read'], 0), null);
  proofs.end('three');
  assert.equal(proofs.begin('five', ['SSL_read'], 0)?.length, 1);
});
