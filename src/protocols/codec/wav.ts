/**
 * A WAV file of 16-bit PCM, one or two channels, with a note about where it is from and marks on its time line.
 *
 *     "RIFF" size "WAVE"  "fmt " 16 ...  "LIST" size "INFO" "ISFT" ... "ICMT" ...
 *     "cue " count, a point each  "LIST" size "adtl" "labl" ... a point each  "data" size samples
 *
 * The two chunks of the marks are there only where there are marks.
 */

/** A point on the time line, in samples of one channel, and its name. */
export type Mark = { readonly at: number; readonly label: string };

const CUE_POINT_BYTES = 24;

/** `channels` are of one length; the note goes into the INFO list. */
export function wavFile(
  channels: readonly Int16Array[],
  sampleRate: number,
  note: { readonly software: string; readonly comment: string },
  marks: readonly Mark[],
): Uint8Array<ArrayBuffer> {
  const frames = channels[0]?.length ?? 0;
  const info = Buffer.concat([infoList(note.software, note.comment), ...cueChunks(marks)]);
  const dataBytes = frames * channels.length * 2;
  const headBytes = 36 + info.length + 8;
  // Of its own memory, which another thread may take over.
  const file = new Uint8Array(headBytes + dataBytes);
  const head = Buffer.from(file.buffer, 0, headBytes);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(28 + info.length + 8 + dataBytes, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(channels.length, 22);
  head.writeUInt32LE(sampleRate, 24);
  head.writeUInt32LE(sampleRate * channels.length * 2, 28);
  head.writeUInt16LE(channels.length * 2, 32);
  head.writeUInt16LE(16, 34);
  head.set(info, 36);
  head.write('data', headBytes - 8, 'latin1');
  head.writeUInt32LE(dataBytes, headBytes - 4);
  const samples = new DataView(file.buffer, headBytes, dataBytes);
  for (let c = 0; c < channels.length; c++) {
    const channel = channels[c];
    if (channel === undefined) continue;
    for (let i = 0; i < frames; i++) samples.setInt16((i * channels.length + c) * 2, channel[i] ?? 0, true);
  }
  return file;
}

function infoList(software: string, comment: string): Buffer {
  return list([Buffer.from('INFO', 'latin1'), chunk('ISFT', software), chunk('ICMT', comment)]);
}

function list(parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(8);
  head.write('LIST', 0, 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}

/** Players and editors show these as markers; the point and its label have one number. */
function cueChunks(marks: readonly Mark[]): Buffer[] {
  if (marks.length === 0) return [];
  const cue = Buffer.alloc(12 + marks.length * CUE_POINT_BYTES);
  cue.write('cue ', 0, 'latin1');
  cue.writeUInt32LE(cue.length - 8, 4);
  cue.writeUInt32LE(marks.length, 8);
  const labels: Buffer[] = [Buffer.from('adtl', 'latin1')];
  for (const [i, { at, label }] of marks.entries()) {
    const point = 12 + i * CUE_POINT_BYTES;
    cue.writeUInt32LE(i + 1, point);
    cue.writeUInt32LE(at, point + 4);
    cue.write('data', point + 8, 'latin1');
    cue.writeUInt32LE(at, point + 20);
    labels.push(chunk('labl', label, i + 1));
  }
  return [cue, list(labels)];
}

/** A text with the NUL that ends it, padded to an even length; `number` is that of the mark it names. */
function chunk(id: string, text: string, number?: number): Buffer {
  const head = Buffer.alloc(number === undefined ? 0 : 4);
  if (number !== undefined) head.writeUInt32LE(number);
  const bytes = Buffer.concat([head, Buffer.from(`${text}\0`, 'utf8')]);
  const out = Buffer.alloc(8 + bytes.length + (bytes.length & 1));
  out.write(id, 0, 'latin1');
  out.writeUInt32LE(bytes.length, 4);
  bytes.copy(out, 8);
  return out;
}
