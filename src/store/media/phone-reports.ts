/**
 * What phones and agents reported of the media of each call, beside what was measured (RFC 6035, stat headers, HEP). Anybody who
 * knows a Call-ID can send a report about the call: each says how its sender is known, and those of strangers have little room.
 */
import type { REPORT_PROOFS } from '../../core/words.ts';
import type { QualityReport } from '../../protocols/reports/quality-report.ts';
import type { Dialog } from '../dialogs/dialog.ts';

/**
 * Reports of one call that are kept of its parties and of agents. With more of them those that were sent while it went on give way.
 *
 * @cap phone_reports_beyond_call
 */
export const MAX_CALL_REPORTS = 24;

/** Those of others, of one call. @cap phone_reports_strange_beyond_call */
export const MAX_STRANGE_REPORTS = 4;

/** About what the engine takes for a report without its texts. */
const REPORT_BYTES = 640;

/**
 * How the sender of a report is known: as a party of the call, by the address that it sends from; as an agent that may send HEP
 * here; not at all.
 */
export type ReportProof = (typeof REPORT_PROOFS)[number] | null;

export type KeptReport = {
  readonly report: QualityReport;
  readonly atUs: number;
  /** The address that it came from. */
  readonly from: string;
  /** Which side of the call sent it: 0 that which opened it, null where nobody knows. */
  readonly side: 0 | 1 | null;
  proof: ReportProof;
  /** By its text: a report comes again on each hop, and when nobody answers it. */
  readonly digest: number;
  copies: number;
};

/** Why a report is not kept. */
export const REPORT_REFUSALS = [
  'too_long',
  'no_report',
  'no_figures',
  'bad_json',
  /** It names a call that is not here. */
  'no_call',
  'beyond_call',
  'strange_beyond_call',
] as const;
export type ReportRefusal = (typeof REPORT_REFUSALS)[number];

type Entry = { readonly list: KeptReport[]; bytes: number };

export type ReportFate = 'kept' | 'copy' | 'beyond_call' | 'strange_beyond_call';

export class PhoneReports {
  readonly #byDialog = new Map<Dialog, Entry>();
  bytes = 0;
  size = 0;
  /** Reports that gave way to others. */
  shed = 0;

  /** The oldest first. */
  of(d: Dialog): readonly KeptReport[] {
    return this.#byDialog.get(d)?.list ?? NONE;
  }

  add(d: Dialog, one: KeptReport): ReportFate {
    const known = this.#byDialog.get(d);
    const entry: Entry = known ?? { list: [], bytes: 0 };
    const { list } = entry;
    const same = list.find(({ digest }) => digest === one.digest);
    if (same !== undefined) {
      same.copies++;
      // A copy that a party sent proves the text.
      same.proof ??= one.proof;
      return 'copy';
    }
    const strange = list.filter(({ proof }) => proof === null).length;
    if (one.proof === null && strange >= MAX_STRANGE_REPORTS) return 'strange_beyond_call';
    if (one.proof !== null && list.length - strange >= MAX_CALL_REPORTS && !this.#giveWay(d, entry))
      return 'beyond_call';
    list.push(one);
    const bytes = bytesOf(one);
    this.#hold(d, entry, bytes);
    this.size++;
    if (known === undefined) this.#byDialog.set(d, entry);
    return 'kept';
  }

  onDialogGone(d: Dialog): void {
    const entry = this.#byDialog.get(d);
    if (entry === undefined) return;
    this.#byDialog.delete(d);
    this.bytes -= entry.bytes;
    this.size -= entry.list.length;
  }

  /** It counts in what all dialogs together may keep: who holds much goes first. */
  #hold(d: Dialog, entry: Entry, bytes: number): void {
    d.hold(bytes);
    entry.bytes += bytes;
    this.bytes += bytes;
  }

  /** The oldest report that was sent while the call went on goes. */
  #giveWay(d: Dialog, entry: Entry): boolean {
    const at = entry.list.findIndex(({ proof, report }) => proof !== null && report.isPart);
    const [gone] = at < 0 ? [] : entry.list.splice(at, 1);
    if (gone === undefined) return false;
    this.#hold(d, entry, -bytesOf(gone));
    this.size--;
    this.shed++;
    return true;
  }
}

const NONE: readonly KeptReport[] = [];

function bytesOf({ report }: KeptReport): number {
  const { user, mac, codec, alert, own, local, remote } = report;
  const texts = [user, mac, codec, alert, local?.address ?? '', remote?.address ?? '', ...own.flat()];
  return REPORT_BYTES + 2 * texts.reduce((sum, { length }) => sum + length, 0);
}
