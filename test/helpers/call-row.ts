/** A call of the call table that tests change to their needs. */
import type { Call } from '../../src/core/call-fields.ts';
import type { TableStyle } from '../../src/faces/cli/call-table.ts';

export const CALL: Call = {
  call_id: 'a84b4c76e66710@pc33.example.com',
  state: 'Completed',
  method: 'INVITE',
  msg_count: 7,
  duration_sec: 12,
  created_at: '2025-03-04T09:00:00.000000Z',
  updated_at: '2025-03-04T09:00:12.000000Z',
  timing: { pdd_ms: 180, setup_ms: 2_000, retransmits: 0, duration_ms: 10_000 },
  from_user: '2001',
  to_user: '2002',
  input_origin: 'wire',
  code: 200,
  reason: 'OK',
  ended_by: 'caller',
  src: '192.0.2.1:5060',
  dst: '192.0.2.2:5060',
  transport: 'UDP',
  user_agent: 'Yealink T46',
  codecs: ['PCMA'],
  mos_worst: 4.41,
  loss_pct_max: 0,
  jitter_ms_max: 0.5,
  findings: [],
};

/** As a pipe gets it: nothing cut, no colour. */
export const PIPED: TableStyle = { columns: null, isUtc: true, color: false, width: null };
