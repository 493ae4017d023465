// Compares what calltap said and read with what the programs are.

/** Of a dialog that goes both ways: two requests with their answers. */
const MESSAGES_BOTH = 4;
const MESSAGES_FIRST = 3;

const dialogOf = (id, dialogs) => dialogs.find(({ call_id: callId }) => callId === `${id}@tls-list`);

/** Whether the live run has read enough of what it has to read. */
export function isWhole(entries, { dialogs }) {
  return entries.every(({ kind }) => !isToBeRead(kind) || whyNotRead(kind, dialogs) === '');
}

const isToBeRead = ({ seen, sip }) => seen && sip !== 'none';

/** What is missing of a program's messages; '' when they are there. */
function whyNotRead({ id, sip }, dialogs) {
  const dialog = dialogOf(id, dialogs);
  if (dialog === undefined) return 'its SIP was not read';
  const wanted = sip === 'both' ? MESSAGES_BOTH : MESSAGES_FIRST;
  return dialog.msg_count >= wanted ? '' : `only ${dialog.msg_count} of its messages were read`;
}

/**
 * What is wrong with one kind; none when all is right. `rows`: of the list, with records, of its processes `pids`.
 * `run`: the live one.
 */
export function faultsOf(kind, pids, rows, run) {
  const faults = [];
  const called = rows.map(({ library, observable }) => `${library} (${observable ? 'yes' : 'no'})`).join(', ');
  const says = (tls, seen) => rows.some(({ library, observable }) => library === tls && observable === seen);
  if (rows.length === 0) faults.push('not in the list');
  else {
    const listed = kind.listedAs ?? { tls: kind.tls, observable: kind.seen };
    const wanted = `${listed.tls} (${listed.observable ? 'yes' : 'no'})`;
    if (!says(listed.tls, listed.observable)) faults.push(`listed as ${called}, not as ${wanted}`);
    // Who can be observed by one of the libraries that it has is said to be so with a condition.
    if (!kind.seen && answerOf(rows) === 'yes') faults.push(`said to be observable: ${called}`);
  }
  const isNamed = pids.some((pid) => run.named.includes(pid));
  if (kind.seen && isNamed) faults.push('named as unseen');
  if (isToBeRead(kind) && whyNotRead(kind, run.dialogs) !== '') faults.push(whyNotRead(kind, run.dialogs));
  if (!kind.seen && dialogOf(kind.id, run.dialogs) !== undefined) faults.push('its SIP was read');
  return faults;
}

/** What these rows of a program say: whether it can be observed. */
export function answerOf(rows) {
  const able = rows.filter(({ observable }) => observable);
  if (able.length === 0) return 'no';
  return able.some(({ note }) => !/, where it uses this library/.test(note)) ? 'yes' : 'where it is used';
}

/** What the live run read of a program, in words. */
export function readOf({ id, seen, sip }, dialogs) {
  const count = dialogOf(id, dialogs)?.msg_count ?? 0;
  if (!seen) return `${count === 0 ? 'nothing' : `${count} messages`}, and named`;
  return sip === 'none' ? 'calls without SIP' : `${count} messages`;
}
