/** Names of files that are made of a Call-ID: SIP of strangers, so no path, no option and nothing hidden. */

const MOST = 100;

/** Without its ending. */
export function callIdFileName(callId: string): string {
  const name = callId
    .replace(/[^A-Za-z0-9._@-]/g, '_')
    .replace(/^[.-]+/, '_')
    .slice(0, MOST);
  return name === '' ? 'call' : name;
}
