/** Rows of messages are made in a thread: each once, whatever the thread does, and none where there is no room. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { describe, it } from 'node:test';
import { callRows } from '../../../../src/actions/ship/call-lines.ts';
import { SHIP_SLAB_BYTES } from '../../../../src/actions/ship/lines.ts';
import { messageLine } from '../../../../src/actions/ship/message-lines.ts';
import { RecordedMessage, writeMessage } from '../../../../src/actions/ship/message-record.ts';
import type { RowTable } from '../../../../src/actions/ship/row-lines.ts';
import { makeLines, RECORD } from '../../../../src/actions/ship/row-lines.ts';
import {
  RowThread,
  SHIP_CALL_BYTES,
  SHIP_LINE_BYTES,
  SHIP_LINE_SLABS,
  SHIP_RECORD_SLABS,
} from '../../../../src/actions/ship/row-thread.ts';
import { RecordReader, RecordWriter, recordMemory } from '../../../../src/core/record.ts';
import { MAX_KEPT_MESSAGE_BYTES } from '../../../../src/store/messages/message-log.ts';
import { ROW } from '../../../../src/store/messages/message-rows.ts';
import type { Kept } from './kept-message.ts';
import { kept, keyOf, sip } from './kept-message.ts';
import { POISON } from './poisoned-worker.ts';
import { longer, readDemoCall } from './read-call.ts';

const MAKER = { host: 'sbc "1"', boot: '0123456789abcdef', hasBodies: true };
type Kit = {
  readonly thread: RowThread;
  readonly lines: string[];
  /** Of which table each is. */
  readonly tables: RowTable[];
  readonly losses: Record<string, number>;
};

function kit(t: TestContext, program?: URL): Kit {
  const lines: string[] = [];
  const tables: RowTable[] = [];
  const losses: Record<string, number> = {};
  const thread = new RowThread({
    maker: MAKER,
    take: (table, bytes, rows) => {
      const made = bytes.toString('utf8').split('\n');
      assert.equal(made.pop(), '');
      assert.equal(made.length, rows);
      lines.push(...made);
      tables.push(...made.map(() => table));
    },
    onLoss: (reason, rows) => {
      losses[reason] = (losses[reason] ?? 0) + rows;
    },
    ...(program === undefined ? {} : { program }),
  });
  t.after(() => thread.close());
  return { thread, lines, tables, losses };
}

function messageOf(line: string): number {
  return (JSON.parse(line) as { message: number }).message;
}

describe('thread of rows', { timeout: 120_000 }, () => {
  it('a row says what the log knows of the message', async (t) => {
    const { thread, lines } = kit(t);
    const flags = ROW.RETRANSMISSION | ROW.COPY | ROW.DUPLICATE;
    const first = kept(sip('über'), { flags, isIpv6: true, transport: 1 });
    const second = kept(sip('b'));
    assert.ok(thread.addMessage(keyOf(0), first.log, first.row, first.bytes));
    assert.ok(thread.addMessage(keyOf(7), second.log, second.row, second.bytes));
    assert.equal(thread.rows, 2);
    assert.ok(thread.bytes > first.bytes.length + second.bytes.length);
    await thread.idle();
    assert.deepEqual([thread.rows, thread.bytes], [0, 0]);
    const same = {
      host: MAKER.host,
      boot: MAKER.boot,
      hour: '2023-11-14T22:00:00Z',
      number: 2 ** 40 + 1,
      version: 2 ** 41 + 3,
    };
    const at = '2023-11-14T22:13:20.123456Z';
    assert.deepEqual(
      lines.map((line) => JSON.parse(line) as unknown),
      [
        {
          ...{
            ...same,
            message: 0,
            at,
            src: '[::ffff:192.0.2.1]:5060',
            dst: '[2001:db8:707:707:707:707:707:707]:65535',
          },
          ...{ transport: 'TCP', origin: 'wire', summary: 'INVITE sip:2@example.net' },
          ...{ notes: ['again', 'duplicate', 'copy'], text: first.bytes.toString('utf8') },
        },
        {
          ...{
            ...same,
            message: 7,
            at,
            src: '192.0.2.1:5060',
            dst: '32.1.13.184:65535',
            transport: 'UDP',
            origin: 'wire',
          },
          ...{ summary: 'INVITE sip:2@example.net', notes: [], text: second.bytes.toString('utf8') },
        },
      ],
    );
  });

  it('a call is a row, and one for each stream and each text it is found by, behind the messages that came with it', async (t) => {
    const { thread, lines, tables } = kit(t);
    const call = await readDemoCall();
    const { log, row, bytes } = kept(sip('a'));
    assert.ok(thread.addCall(call));
    assert.ok(thread.addMessage(keyOf(0), log, row, bytes));
    assert.ok(thread.addCall(call));
    assert.equal(thread.rows, 9);
    await thread.idle();
    const rows = callRows(call, MAKER);
    assert.deepEqual(
      rows.map(({ table }) => table),
      ['ids', 'streams', 'streams', 'calls'],
    );
    const twice = (of: RowTable): string[] =>
      [...rows, ...rows].filter(({ table }) => table === of).map(({ line }) => line);
    assert.deepEqual(tables, ['messages', 'ids', 'ids', ...Array(4).fill('streams'), 'calls', 'calls']);
    assert.deepEqual(lines.slice(1), [...twice('ids'), ...twice('streams'), ...twice('calls')]);
    const [line = ''] = twice('calls');
    const shown = JSON.parse(line) as Record<string, unknown>;
    assert.deepEqual(
      [shown['number'], shown['user_agent'], shown['talk_ms']],
      [7, 'Größe ☎', call.reading.dialog.timing.durationMs],
    );
  });

  it('a call that does not fit behind others begins a piece, and a larger one than the limit is not taken', async (t) => {
    const { thread, lines, losses } = kit(t);
    const call = await readDemoCall();
    const half = longer(call, SHIP_CALL_BYTES - 4_000);
    for (let i = 0; i < 4; i++) assert.ok(thread.addCall(half));
    const bytes = thread.bytes;
    assert.ok(bytes > 4 * (SHIP_CALL_BYTES - 4_000) && bytes <= 4 * SHIP_CALL_BYTES);
    for (const length of [SHIP_CALL_BYTES, SHIP_SLAB_BYTES, 4 * SHIP_SLAB_BYTES])
      assert.ok(!thread.addCall(longer(call, length)));
    assert.equal(thread.bytes, bytes);
    assert.ok(thread.addCall(call));
    await thread.idle();
    assert.equal(lines.filter((line) => line.includes('"schema_version"')).length, 5);
    assert.deepEqual([thread.rows, thread.bytes, losses], [0, 0, {}]);
  });

  it('who waits for room goes on when half of the pieces are free', async (t) => {
    const { thread, lines } = kit(t);
    const { log, row, bytes } = kept(sip('a'.repeat(SHIP_SLAB_BYTES / 3)));
    await thread.room();
    let taken = 0;
    while (thread.addMessage(keyOf(taken), log, row, bytes)) taken++;
    await thread.room();
    assert.ok(thread.rows <= taken / 2 + 2, `${thread.rows}`);
    assert.equal(lines.length, taken - thread.rows);
  });

  it('every message is one row, whatever its length', async (t) => {
    const { thread, lines, losses } = kit(t);
    const all = [1, 900, SHIP_SLAB_BYTES / 3, MAX_KEPT_MESSAGE_BYTES - 100].map((length) =>
      kept(sip('\u0001'.repeat(length))),
    );
    for (let i = 0; i < 60; i++) {
      const { log, row, bytes } = all[i % all.length] ?? assert.fail();
      while (!thread.addMessage(keyOf(i), log, row, bytes)) await thread.idle();
    }
    await thread.idle();
    assert.deepEqual(
      lines.map(messageOf).sort((a, b) => a - b),
      [...Array(60).keys()],
    );
    assert.deepEqual(losses, {});
    const longest = Math.max(...lines.map((line) => line.length));
    assert.ok(longest > 6 * (MAX_KEPT_MESSAGE_BYTES - 200) && longest < SHIP_LINE_BYTES, `${longest}`);
  });

  it('where the thread cannot keep up there is no room, and later there is', async (t) => {
    const { thread, lines } = kit(t);
    const { log, row, bytes } = kept(sip('a'.repeat(SHIP_SLAB_BYTES / 3)));
    let taken = 0;
    // The thread gets no turn to hand anything back.
    while (thread.addMessage(keyOf(taken), log, row, bytes)) taken++;
    assert.equal(taken, 2 * SHIP_RECORD_SLABS);
    assert.ok(!thread.addMessage(keyOf(taken), log, row, bytes));
    await thread.idle();
    assert.ok(thread.addMessage(keyOf(taken), log, row, bytes));
    await thread.idle();
    assert.deepEqual(lines.map(messageOf), [...Array(taken + 1).keys()]);
  });

  it('a thread that fails loses the pieces that it has, and no other', async (t) => {
    const { thread, lines, losses } = kit(t, new URL('./poisoned-worker.js', import.meta.url));
    const good = kept(sip('a'.repeat(SHIP_SLAB_BYTES / 3)));
    const bad = kept(sip(POISON));
    let message = 0;
    const add = ({ log, row, bytes }: Kept): void => assert.ok(thread.addMessage(keyOf(message++), log, row, bytes));
    const failures = 3;
    for (let i = 0; i < 4 * failures; i++) {
      add(i % 4 === 1 ? bad : good);
      add(good);
      thread.flush();
    }
    await thread.idle();
    const { thread_failed: lost = 0, ...others } = losses;
    assert.deepEqual(others, {});
    // Two messages a piece, and at most as many pieces as have room for their lines.
    assert.ok(lost >= 2 * failures && lost <= 2 * failures * SHIP_LINE_SLABS, `${lost}`);
    assert.equal(lines.length, message - lost);
    const made = new Set(lines.map(messageOf));
    assert.equal(made.size, lines.length);
    for (let i = 0; i < message; i++) if (Math.floor(i / 2) % 4 === 1) assert.ok(!made.has(i), `${i}`);
    // There is as much room as before.
    for (let i = 0; i < 2 * SHIP_RECORD_SLABS; i++) add(good);
    await thread.idle();
    assert.equal(lines.length, message - lost);
    assert.deepEqual([thread.rows, thread.bytes], [0, 0]);
  });

  it('a program that never runs loses all, and keeps nobody waiting', async (t) => {
    const { thread, losses } = kit(t, new URL('./no-such-worker.js', import.meta.url));
    const { log, row, bytes } = kept(sip('a'));
    for (let i = 0; i < 5; i++) {
      assert.ok(thread.addMessage(keyOf(i), log, row, bytes));
      thread.flush();
    }
    await thread.idle();
    assert.deepEqual(losses, { thread_failed: 5 });
  });

  it('a line that does not fit into its piece of memory is counted, and those behind it are made', () => {
    const records = recordMemory(new ArrayBuffer(10_000));
    const starts: number[] = [];
    let upTo = 0;
    for (const text of [sip('a'), sip('b'.repeat(2_000)), sip('c')]) {
      const { log, row, bytes } = kept(text);
      starts.push(upTo);
      const writer = new RecordWriter(records, upTo, 10_000);
      writer.byte(RECORD.message);
      writeMessage(writer, keyOf(0), log, row, bytes);
      upTo = writer.at;
    }
    const lines = new ArrayBuffer(1_000);
    const result = makeLines(MAKER, { records: records.view.buffer, lines, from: 0, upTo });
    const [part] = result.parts;
    assert.deepEqual([result.from, part?.table, part?.rows, result.tooLong], [upTo, 'messages', 2, 1]);
    const [a = 0, , c = 0] = starts;
    const wanted = [a, c]
      .map((at) => `${messageLine(new RecordedMessage(new RecordReader(records, at + 1)), MAKER)}\n`)
      .join('');
    assert.equal(Buffer.from(lines).subarray(0, part?.bytes).toString('utf8'), wanted);
  });
});
