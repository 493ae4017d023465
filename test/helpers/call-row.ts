/** A row of the call table that tests change to their needs. */
import type { TableStyle } from '../../src/faces/cli/call-table.ts';
import type { CallRow } from '../../src/view/call-row.ts';

/** 2025-03-04T09:00:00Z. */
export const STARTED_US = 1_741_078_800_000_000;

export const CALL_ROW: CallRow = {
  callId: 'a84b4c76e66710@pc33.example.com',
  startedUs: STARTED_US,
  updatedUs: STARTED_US + 12_000_000,
  state: 'Completed',
  method: 'INVITE',
  from: '2001',
  to: '2002',
  code: 200,
  reason: 'OK',
  durationSec: 12,
  pddMs: 180,
  setupMs: 2_000,
  worstMos: 4.41,
  worstLossPct: 0,
  hasOwnDrops: false,
  worstJitterMs: 0.5,
  codecs: ['PCMA'],
  findings: [],
  src: '192.0.2.1:5060',
  dst: '192.0.2.2:5060',
  srcName: '',
  dstName: '',
  transport: 'UDP',
  userAgent: 'Yealink T46',
  endedBy: 'caller',
  origin: 'wire',
  messages: 7,
};

/** As a pipe gets it: nothing cut, no colour. */
export const PIPED: TableStyle = { columns: null, isUtc: true, color: false, width: null };
