/** The mirrors of native/rtp/rtp_stream.h and native/core/record.h against the C compiler's own offsets. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import * as layout from '../../src/protocols/rtp/stream-layout.ts';
import { ABI, FRAME_PART, KIND, OFFSET, RECORD_BYTES, SLAB_BYTES, SLAB_RECORDS } from '../../src/sources/records.ts';

function nativeFolder(): string | null {
  for (const start of [import.meta.dirname, process.cwd()]) {
    for (let dir = start; ; dir = dirname(dir)) {
      if (existsSync(join(dir, 'native/rtp/rtp_stream.h'))) return join(dir, 'native');
      if (dirname(dir) === dir) break;
    }
  }
  return null;
}

function hasCompiler(): boolean {
  try {
    execFileSync('cc', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const snake = (name: string): string => name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`);

const native = nativeFolder();
const skip = native === null ? 'native/rtp/rtp_stream.h not found' : hasCompiler() ? false : 'no C compiler (cc)';

test('offsets, sizes and constants are those of the C structs', { skip }, () => {
  const want: [string, number][] = [
    ['sizeof(struct ct_stream)', layout.STREAM_BYTES],
    ['sizeof(struct ct_rtp_window)', layout.WINDOW_BYTES],
    ['sizeof(struct ct_rtp_segment)', layout.SEGMENT_BYTES],
    ['CT_RTP_LANES', layout.LANES],
    ['CT_RTP_PTS', layout.PAYLOAD_TYPES],
    ['CT_RTP_NO_PT', layout.NO_PAYLOAD_TYPE],
    ['CT_RTP_WINDOW_BITS', layout.WINDOW_BITS],
    ['CT_RTP_GMIN', layout.GMIN],
    ['CT_STREAM_FREE', layout.STREAM_STATE.FREE],
    ['CT_STREAM_PROBING', layout.STREAM_STATE.PROBING],
    ['CT_STREAM_ACCEPTED', layout.STREAM_STATE.ACCEPTED],
    ['CT_SF_TIMED', layout.STREAM_FLAG.TIMED],
    ['CT_SF_RETIRED', layout.STREAM_FLAG.RETIRED],
    ['CT_SF_HINTED', layout.STREAM_FLAG.HINTED],
    ['CT_SF_AMID', layout.STREAM_FLAG.AMID],
    ['CT_SOUND_NONE', layout.SOUND.NONE],
    ['CT_SOUND_SILENT', layout.SOUND.SILENT],
    ['CT_SOUND_STEPS', layout.SOUND.STEPS],
    ['CT_SOUND_HEARD', layout.SOUND.HEARD],
    ['CT_SOUND_UNKNOWN', layout.SOUND.UNKNOWN],
    ['CT_LANES_ONE', layout.LANE_MODE.ONE],
    ['CT_LANES_ALL', layout.LANE_MODE.ALL],
    ['CT_ABI', ABI],
    ['CT_SLAB_BYTES', SLAB_BYTES],
    ['CT_SLAB_RECORDS', SLAB_RECORDS],
    ['sizeof(struct ct_record)', RECORD_BYTES],
  ];
  for (const [name, value] of Object.entries(FRAME_PART)) want.push([`CT_FRAME_${name}`, value]);
  for (const [name, value] of Object.entries(KIND)) want.push([`CT_KIND_${name}`, value]);
  for (const [field, at] of Object.entries(OFFSET)) want.push([`offsetof(struct ct_record, ${snake(field)})`, at]);
  for (const [field, at] of Object.entries(layout.STREAM)) {
    want.push([`offsetof(struct ct_stream, ${snake(field)})`, at]);
  }
  for (const [field, at] of Object.entries(layout.WINDOW))
    want.push([`offsetof(struct ct_rtp_window, ${snake(field)})`, at]);
  for (const [field, at] of Object.entries(layout.SEGMENT))
    want.push([`offsetof(struct ct_rtp_segment, ${snake(field)})`, at]);
  for (const [field, at] of Object.entries(layout.MARK))
    want.push([`offsetof(struct ct_rtp_mark, ${snake(field)})`, at]);
  const dir = mkdtempSync(join(tmpdir(), 'calltap-layout-'));
  try {
    const source = [
      '#include <stddef.h>',
      '#include <stdio.h>',
      '#include "core/record.h"',
      '#include "rtp/rtp_stream.h"',
      'int main(void) {',
    ]
      .concat(want.map(([what]) => `  printf("%ld\\n", (long)(${what}));`))
      .concat('  return 0;', '}', '');
    writeFileSync(join(dir, 'layout.c'), source.join('\n'));
    execFileSync('cc', ['-std=c11', '-I', native ?? '', '-o', join(dir, 'layout'), join(dir, 'layout.c')]);
    const got = execFileSync(join(dir, 'layout'), { encoding: 'utf8' }).trim().split('\n').map(Number);
    assert.deepEqual(
      want.map(([what], i) => `${what} = ${got[i]}`),
      want.map(([what, value]) => `${what} = ${value}`),
    );
  } finally {
    rmSync(dir, { recursive: true });
  }
});
