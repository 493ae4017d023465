/** What response codes mean of themselves (RFC 3261 section 21). */

/** Asks for credentials: 401 of a server, 407 of a proxy (sections 21.4.2 and 21.4.8). */
export function isChallenge(status: number): boolean {
  return status === 401 || status === 407;
}
