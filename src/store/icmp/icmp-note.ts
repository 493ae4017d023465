/** What ICMP said about the signaling of a dialog: who did not answer, by whose word, and how often (RFC 792, RFC 4443). */
import type { EndpointKey } from '../../core/ip.ts';

/** Errors of one kind about one endpoint of a dialog's signaling. */
export type IcmpNote = {
  readonly ipVersion: number;
  readonly type: number;
  readonly code: number;
  /** The socket that did not answer. */
  readonly unreachable: EndpointKey;
  readonly source: EndpointKey;
  readonly reportedBy: string;
  readonly firstUs: number;
  errors: number;
  isTruncated: boolean;
  /** Rows of the message log that were quoted. */
  readonly rows: number[];
};
