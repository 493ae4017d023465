/**
 * A WAV file of 16-bit PCM, one or two channels, with a note about where it is from.
 *
 *     "RIFF" size "WAVE"  "fmt " 16 ...  "LIST" size "INFO" "ISFT" ... "ICMT" ...  "data" size samples
 */

/** `channels` are of one length; `software` and `comment` go into the INFO list. */
export function wavFile(
  channels: readonly Int16Array[],
  sampleRate: number,
  software: string,
  comment: string,
): Buffer {
  const frames = channels[0]?.length ?? 0;
  const info = infoList(software, comment);
  const dataBytes = frames * channels.length * 2;
  const head = Buffer.alloc(36);
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
  const data = Buffer.alloc(8 + dataBytes);
  data.write('data', 0, 'latin1');
  data.writeUInt32LE(dataBytes, 4);
  const samples = new DataView(data.buffer, data.byteOffset + 8, dataBytes);
  for (let c = 0; c < channels.length; c++) {
    const channel = channels[c];
    if (channel === undefined) continue;
    for (let i = 0; i < frames; i++) samples.setInt16((i * channels.length + c) * 2, channel[i] ?? 0, true);
  }
  return Buffer.concat([head, info, data]);
}

function infoList(software: string, comment: string): Buffer {
  const body = Buffer.concat([Buffer.from('INFO', 'latin1'), chunk('ISFT', software), chunk('ICMT', comment)]);
  const head = Buffer.alloc(8);
  head.write('LIST', 0, 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}

/** A text with the NUL that ends it, padded to an even length. */
function chunk(id: string, text: string): Buffer {
  const bytes = Buffer.from(`${text}\0`, 'utf8');
  const out = Buffer.alloc(8 + bytes.length + (bytes.length & 1));
  out.write(id, 0, 'latin1');
  out.writeUInt32LE(bytes.length, 4);
  bytes.copy(out, 8);
  return out;
}
