/**
 * What a security finding says: who, what kind of behaviour, and the evidence for it.
 */

/** Kinds of alerts: the two words that fail2ban filters know, and toll fraud, which bans nobody. */
export const ALERT_KINDS = ['scanner', 'reg-flood', 'fraud'] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** What a source did. */
const BEHAVIOURS = [
  'known-tool',
  'probe-burst',
  'enumeration',
  'slow-scan',
  'slow-enumeration',
  'password-guessing',
  'host-sweep',
  'prefix-probing',
  'injection',
  'malformed-flood',
  'registration-flood',
  'volume-spike',
  'sequential-numbers',
  'short-calls',
  'off-hours',
] as const;
export type Behaviour = (typeof BEHAVIOURS)[number];

/** What an alert rests on; every list is capped. */
export type AlertEvidence = {
  readonly firstUs: number;
  readonly lastUs: number;
  /** Requests that were refused or not answered, in the behaviour's window; calls in the case of fraud. */
  readonly count: number;
  /** Method and how often. */
  readonly methods: ReadonlyMap<string, number>;
  /** Status code (0: no answer) and how often. */
  readonly codes: ReadonlyMap<number, number>;
  /** Users that were asked for, the latest few, as sent: untrusted text. */
  readonly targets: readonly string[];
};

export type SecurityAlert = {
  readonly kind: AlertKind;
  readonly behaviour: Behaviour;
  /** Address of the source as text, without port; of a network the one it sent from last. */
  readonly source: string;
  /** The network that is judged as one source (`2001:db8::/64`); null for IPv4. */
  readonly net: string | null;
  /** Capture time in microseconds. */
  readonly atUs: number;
  /** Method of the request that completed the evidence; a name of the standards, or OTHER. */
  readonly method: string;
  /** User-Agent of that request, as sent: untrusted text. Empty when it had none. */
  readonly userAgent: string;
  readonly evidence: AlertEvidence;
};
