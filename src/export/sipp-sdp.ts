/**
 * Where a session description names the address and the ports that its sender listens on (RFC 8866 sections 5.2, 5.7 and
 * 5.14): SIPp puts its own there.
 */

/** Characters `start`..`end` of a message, and what stands there in the scenario. */
export type Edit = { readonly start: number; readonly end: number; readonly text: string };

const ADDRESS = /^([co]=(?:\S+ \S+ \S+ )?IN )(IP[46] [^\s/]+)[ \t]*$/;
const PORT = /^(m=(?:audio|video|image) )([1-9]\d{0,4})(?=[ /])/;
/** Asks for no media (RFC 3264 section 8.4); no address of the sender. */
const NOWHERE = /^IP[46] (?:0\.0\.0\.0|::)$/;

/** Of the body at `start`; descriptions within other bodies count too. */
export function sdpEdits(body: string, start: number): Edit[] {
  const edits: Edit[] = [];
  let media = 0;
  let at = start;
  for (const line of body.split('\n')) {
    const found = ADDRESS.exec(line.endsWith('\r') ? line.slice(0, -1) : line);
    const port = PORT.exec(line);
    if (found !== null && !NOWHERE.test(found[2] ?? '')) edits.push(edit(at, found, 'IP[media_ip_type] [media_ip]'));
    if (port !== null) {
      edits.push(edit(at, port, media === 0 ? '[media_port]' : `[media_port+${2 * media}]`));
      media++;
    }
    at += line.length + 1;
  }
  return edits;
}

function edit(lineStart: number, [, before = '', replaced = '']: RegExpExecArray, text: string): Edit {
  const start = lineStart + before.length;
  return { start, end: start + replaced.length, text };
}
