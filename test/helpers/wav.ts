/** Takes a WAV file of 16-bit PCM apart, chunk by chunk; everything in it must add up. */
import assert from 'node:assert/strict';

export type Wav = {
  readonly rate: number;
  readonly channels: readonly Int16Array[];
  /** The INFO list, as bytes. */
  readonly note: string;
  /** Marks in samples, with the label of the same number. */
  readonly marks: readonly { readonly at: number; readonly label: string }[];
};

export function readWav(wav: Uint8Array): Wav {
  const b = Buffer.from(wav);
  assert.equal(b.toString('latin1', 0, 4) + b.toString('latin1', 8, 12), 'RIFFWAVE');
  assert.equal(b.readUInt32LE(4), b.length - 8);
  const chunks = chunksOf(b.subarray(12));
  const format = chunks.get('fmt ') ?? Buffer.alloc(0);
  const data = chunks.get('data') ?? Buffer.alloc(0);
  const [count, rate] = [format.readUInt16LE(2), format.readUInt32LE(4)];
  assert.deepEqual([format.length, format.readUInt16LE(0), format.readUInt16LE(14)], [16, 1, 16]);
  const frames = data.length / 2 / count;
  assert.ok(Number.isInteger(frames));
  const channels = Array.from({ length: count }, (_, c) =>
    Int16Array.from({ length: frames }, (_x, i) => data.readInt16LE((i * count + c) * 2)),
  );
  return { rate, channels, note: chunks.get('LIST INFO')?.toString('latin1') ?? '', marks: marksOf(chunks) };
}

/** Bodies by name; of a list its kind belongs to the name. */
function chunksOf(b: Buffer): Map<string, Buffer> {
  const chunks = new Map<string, Buffer>();
  let at = 0;
  while (at < b.length) {
    const id = b.toString('latin1', at, at + 4);
    const length = b.readUInt32LE(at + 4);
    const body = b.subarray(at + 8, at + 8 + length);
    assert.equal(body.length, length, `the chunk ${id} is cut`);
    if (id === 'LIST') chunks.set(`LIST ${body.toString('latin1', 0, 4)}`, body.subarray(4));
    else chunks.set(id, body);
    at += 8 + length + (length & 1);
  }
  assert.equal(at, b.length);
  return chunks;
}

function marksOf(chunks: ReadonlyMap<string, Buffer>): Wav['marks'] {
  const cue = chunks.get('cue ');
  if (cue === undefined) return [];
  assert.equal(cue.length, 4 + cue.readUInt32LE(0) * 24);
  const labels = new Map<number, string>();
  let list = chunks.get('LIST adtl') ?? Buffer.alloc(0);
  while (list.length > 0) {
    const length = list.readUInt32LE(4);
    assert.equal(list.toString('latin1', 0, 4), 'labl');
    // The NUL ends the text.
    labels.set(list.readUInt32LE(8), list.toString('latin1', 12, 8 + length - 1));
    list = list.subarray(8 + length + (length & 1));
  }
  return Array.from({ length: cue.readUInt32LE(0) }, (_, i) => ({
    at: cue.readUInt32LE(4 + i * 24 + 20),
    label: labels.get(cue.readUInt32LE(4 + i * 24)) ?? '',
  }));
}
