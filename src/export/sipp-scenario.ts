/**
 * The steps of one side as a scenario of SIPp in its XML. All that was captured stands in CDATA, as sipp-text.ts writes
 * it; attributes hold methods that were checked, numbers and fixed words, comments hold notes without captured text.
 */
import type { Replayed } from './sipp-message.ts';
import type { SippNotes } from './sipp-notes.ts';
import type { RecvStep, SippSide, Step } from './sipp-side.ts';

/** Milliseconds after which SIPp sends again over UDP (T1 of RFC 3261 section 17.1.1.1). */
const RETRANSMIT_MS = 500;
/** The last tag of a header that SIPp itself wrote, or a peer with tags of the usual characters. */
const PEER_TAG = '[^[:cntrl:]]*(;tag=[-[:alnum:].!%*_+~]*)';
const WHOLE_VALUE = '([^[:cntrl:]]*)';
export function scenarioFile(side: SippSide, notes: readonly string[], all: SippNotes): string {
  const name = side.isCaller ? 'uac' : 'uas';
  const how = side.isCaller
    ? 'sipp -sf uac.xml -m 1 ADDRESS:PORT, while uas.xml or the program under test listens there.'
    : 'sipp -sf uas.xml -m 1 -p PORT, then uac.xml or the program under test calls it.';
  const { steps } = side;
  // A message that was left out after all may have asked for a variable.
  const isUsed = (variable: string): boolean =>
    steps.some((step) => step.kind === 'send' && step.text.includes(`[$${variable}]`));
  const parts = steps.map((step, i) => stepText(step, steps[i + 1], isMandatory(steps, i), all, isUsed));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<!-- ${how} -->`,
    ...notes.map((note) => `<!-- ${note} -->`),
    `<scenario name="calltap ${name}">`,
    ...parts,
    // SIPp refuses a variable that nothing refers to, and a reference in front of it.
    ...(parts.some((part) => part.includes('assign_to="found,')) ? ['<Reference variables="found"/>'] : []),
    '</scenario>',
    '',
  ].join('\n');
}

type IsUsed = (variable: string) => boolean;

function stepText(step: Step, next: Step | undefined, mandatory: boolean, notes: SippNotes, isUsed: IsUsed): string {
  if (step.kind === 'pause') return `<pause milliseconds="${step.ms}"/>`;
  if (step.kind === 'recv') return recvText(step, mandatory, isUsed);
  const { message, text } = step;
  const changes = notes.changesOf(message.index).map((what) => `, ${what}`);
  const retrans = isAnswered(message, next) ? ` retrans="${RETRANSMIT_MS}"` : '';
  return `<!-- message ${message.index}${changes.join('')} -->\n<send${retrans}><![CDATA[\n${text}]]></send>`;
}

function recvText(step: RecvStep, mandatory: boolean, isUsed: IsUsed): string {
  const { message, via, keepsPeerTag, keepsTarget, keepsChallenge } = step;
  const { isRequest, method, status } = message;
  const attributes = [
    isRequest ? ` request="${method}"` : ` response="${status}"`,
    mandatory ? '' : ' optional="true"',
    keepsTarget ? ' rrs="true"' : '',
    keepsChallenge ? ' auth="true"' : '',
  ].join('');
  const actions = [
    ...(via > 0 && isUsed(`via${via}`) ? [keptText(message, message.scan.viaStart, WHOLE_VALUE, `via${via}`)] : []),
    ...(keepsPeerTag && isUsed('peer') ? [keptText(message, message.scan.fromStart, PEER_TAG, 'peer')] : []),
  ];
  if (actions.length === 0) return `<recv${attributes}/>`;
  return `<recv${attributes}><action>${actions.join('')}</action></recv>`;
}

/**
 * Part of the header whose value begins at `valueStart`. SIPp looks for it in the whole message: where it looks in one
 * header it reads past its buffer in a message of more than 2 KiB.
 */
function keptText({ lines, text }: Replayed, valueStart: number, part: string, variable: string): string {
  const line = lines.find((other) => other.valueStart === valueStart);
  const name = line === undefined ? '' : text.slice(line.start, line.nameEnd);
  return `<ereg regexp="[[:cntrl:]]${name}:${part}" search_in="msg" assign_to="found,${variable}"/>`;
}

/**
 * A provisional response may stay away. SIPp takes that of one in a row of messages to receive, when one that has to
 * come follows in the row. The first that matches takes all of its code, so two of one code both have to come.
 */
function isMandatory(steps: readonly Step[], at: number): boolean {
  const step = steps[at];
  if (step?.kind !== 'recv' || step.message.isRequest || step.message.status >= 200) return true;
  for (let i = at + 1; ; i++) {
    const next = steps[i];
    if (next?.kind !== 'recv') return i === at + 1;
    if (next.message.status === step.message.status) return true;
    if (next.message.isRequest || next.message.status >= 200) return false;
  }
}

/** Whether what ends retransmission comes next: SIPp sends nothing else until then. */
function isAnswered(sent: Replayed, next: Step | undefined): boolean {
  if (next?.kind !== 'recv') return false;
  const { message } = next;
  if (!sent.isRequest) return sent.method === 'INVITE' && sent.status >= 200 && message.method === 'ACK';
  return sent.method !== 'ACK' && !message.isRequest && message.method === sent.method;
}
