/**
 * Calls over several hops, with what was done to them: each fault is one of a hop, and of no other. The captures in
 * fixtures/hops are recordings of these.
 */
import type { HopProxy, Loss } from './hop-lab.ts';
import type { Scenario } from './sipp-scenarios.ts';
import { STEPS } from './sipp-scenarios.ts';

const { invite, ack, bye, byeOk, got, came, perhaps, pause, play, hush, respond, answer, sameTransaction, talk } =
  STEPS;

/** Who takes part, by the address it has. */
export const AT = {
  caller: '10.91.0.1',
  edge: '10.91.0.11',
  core: '10.91.0.12',
  b2bua: '10.91.0.15',
  callee: '10.91.0.21',
  other: '10.91.0.22',
} as const;
export type Place = keyof typeof AT;

/** From whom to whom the messages went that a finding rests on. */
export type Hop = `${Place} to ${Place}`;
export type Finding = 'final_failure' | 'retransmissions' | 'ack_missing' | 'abandoned' | 'post_dial_delay';

export type HopCase = {
  readonly name: string;
  readonly proxies: readonly HopProxy[];
  readonly hasB2bua?: boolean;
  /** The caller speaks TLS to the edge, whose mirror is in the capture. */
  readonly isTls?: boolean;
  readonly caller: Scenario['caller'];
  /** By place: who answers, and how. */
  readonly answers: Partial<Record<Place, Scenario['callee']>>;
  readonly losses?: readonly Loss[];
  /** Of all dialogs; everything else is null. */
  readonly findings: Partial<Record<Finding, Hop | `${Hop}, ${Hop}`>>;
};

const CALL = talk(600, 1000);
const refusedCall = (status: number): string =>
  invite(1) + perhaps(100, 180) + came(status) + sameTransaction('ACK', 1);
const refuse = (status: string): string =>
  got('INVITE') + pause(200) + respond(status, { cseq: '1 INVITE' }) + got('ACK');
/** Rings until it is cancelled. */
const RING =
  got('INVITE') +
  respond('180 Ringing') +
  got('CANCEL') +
  respond('200 OK') +
  respond('487 Request Terminated', { cseq: '1 INVITE' }) +
  got('ACK');
/** Long enough that a dead branch is asked again and again. */
const RINGS_LONG = got('INVITE') + respond('180 Ringing') + pause(5000) + answer + got('ACK') + play + byeOk;
/** Never gets the ACK, and takes the BYE for it. */
const UNACKED = got('INVITE') + respond('180 Ringing') + pause(300) + answer + play + byeOk;
const PATIENT = invite(1) + perhaps(100, 180) + came(200) + ack(1) + play + pause(6000) + hush + bye(2);

const EDGE: HopProxy = { at: 'edge', next: ['callee'] };
const TO_CORE: HopProxy = { at: 'edge', next: ['core'] };
const CORE: HopProxy = { at: 'core', next: ['callee'] };
const FORK: HopProxy = { at: 'edge', next: ['callee', 'other'] };
const MIRRORED: HopProxy = { ...EDGE, isMirrored: true };

const DEAD = refusedCall(408);
/** The proxy that asks in vain gives up after 30 s. */
const LATE = { post_dial_delay: 'caller to edge, edge to caller' } as const;
const unheard = (to: Place, begins?: string): Loss => ({ side: 'in', to, ...(begins === undefined ? {} : { begins }) });

export const HOP_CASES: readonly HopCase[] = [
  { name: 'two-hops', proxies: [EDGE], caller: CALL.caller, answers: { callee: CALL.callee }, findings: {} },
  {
    name: 'two-hops-dead-callee',
    proxies: [EDGE],
    caller: DEAD,
    answers: {},
    losses: [unheard('callee')],
    findings: { ...LATE, retransmissions: 'edge to callee', final_failure: 'edge to caller' },
  },
  {
    name: 'two-hops-ack-lost',
    proxies: [EDGE],
    caller: PATIENT,
    answers: { callee: UNACKED },
    losses: [{ side: 'out', to: 'callee', begins: 'ACK ' }],
    findings: { ack_missing: 'callee to edge' },
  },
  {
    name: 'two-hops-busy',
    proxies: [EDGE],
    caller: refusedCall(486),
    answers: { callee: refuse('486 Busy Here') },
    findings: { final_failure: 'callee to edge' },
  },
  { name: 'three-hops', proxies: [TO_CORE, CORE], caller: CALL.caller, answers: { callee: CALL.callee }, findings: {} },
  {
    name: 'three-hops-dead-callee',
    proxies: [TO_CORE, CORE],
    caller: DEAD,
    answers: {},
    losses: [unheard('callee')],
    findings: { ...LATE, retransmissions: 'core to callee', final_failure: 'core to edge' },
  },
  {
    name: 'three-hops-dead-core',
    proxies: [TO_CORE],
    caller: DEAD,
    answers: {},
    losses: [unheard('core')],
    findings: { ...LATE, retransmissions: 'edge to core', final_failure: 'edge to caller' },
  },
  {
    name: 'three-hops-ack-lost',
    proxies: [TO_CORE, CORE],
    caller: PATIENT,
    answers: { callee: UNACKED },
    losses: [{ side: 'out', to: 'core', begins: 'ACK ' }],
    findings: { ack_missing: 'core to edge' },
  },
  { name: 'fork', proxies: [FORK], caller: CALL.caller, answers: { callee: CALL.callee, other: RING }, findings: {} },
  {
    name: 'fork-one-refuses',
    proxies: [FORK],
    caller: CALL.caller,
    answers: { callee: CALL.callee, other: refuse('503 Service Unavailable') },
    findings: {},
  },
  {
    name: 'fork-one-dead',
    proxies: [FORK],
    caller: CALL.caller,
    answers: { callee: RINGS_LONG },
    losses: [unheard('other')],
    findings: { retransmissions: 'edge to other' },
  },
  {
    name: 'b2bua',
    proxies: [],
    hasB2bua: true,
    caller: CALL.caller,
    answers: { callee: CALL.callee },
    findings: {},
  },
  {
    name: 'b2bua-dead-callee',
    proxies: [],
    hasB2bua: true,
    caller: refusedCall(486),
    answers: {},
    losses: [unheard('callee')],
    findings: { retransmissions: 'b2bua to callee', final_failure: 'b2bua to caller' },
  },
  {
    name: 'tls-with-mirror',
    proxies: [MIRRORED],
    isTls: true,
    caller: '',
    answers: { callee: CALL.callee },
    findings: {},
  },
  {
    name: 'tls-with-mirror-dead-callee',
    proxies: [MIRRORED],
    isTls: true,
    caller: '',
    answers: {},
    losses: [unheard('callee')],
    findings: { ...LATE, retransmissions: 'edge to callee', final_failure: 'edge to caller' },
  },
];
