/**
 * The ICE user fragments that descriptions named (RFC 8839 section 5.4): whose they are, and of which m= sections. Sections
 * may share one, also without BUNDLE. Both are under a cap that counts sections; the oldest fragment goes first.
 */
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { Claim } from '../../store/media/endpoint-index.ts';

/** ICE user fragments kept of one dialog. @cap */
const MAX_DIALOG_FRAGMENTS = 64;

/**
 * ICE user fragments of SDPs.
 *
 * @cap memory 6 MiB, ice_fragments_evicted: ICE user fragments of descriptions
 */
const MAX_ICE_FRAGMENTS = 16_384;

export type FragmentOwner = { readonly dialog: Dialog; readonly sections: readonly Claim[] };

type OfDialog = { readonly fragments: Set<string>; sections: number };

export class IceFragments {
  readonly #owners = new Map<string, { readonly dialog: Dialog; readonly sections: Claim[] }>();
  readonly #of = new Map<Dialog, OfDialog>();
  #sections = 0;
  evicted = 0;
  /** Beyond those of one dialog. */
  refused = 0;

  get(fragment: string): FragmentOwner | null {
    return this.#owners.get(fragment) ?? null;
  }

  /** A section named the fragment; what its newest description says counts. */
  name(fragment: string, claim: Claim): void {
    const known = this.#owners.get(fragment);
    const isOwn = known?.dialog === claim.dialog;
    const at = isOwn ? known.sections.findIndex((s) => s.line === claim.line) : -1;
    if (at >= 0) {
      known?.sections.splice(at, 1, claim);
      return;
    }
    const of = this.#of.get(claim.dialog) ?? { fragments: new Set(), sections: 0 };
    if (of.sections >= MAX_DIALOG_FRAGMENTS) {
      this.refused++;
      // With a section missing, what is left would say too much.
      if (isOwn) this.#drop(fragment);
      return;
    }
    if (!isOwn) this.#drop(fragment);
    if (this.#sections >= MAX_ICE_FRAGMENTS) this.#evict();
    const owner = this.#owners.get(fragment) ?? { dialog: claim.dialog, sections: [] };
    owner.sections.push(claim);
    this.#owners.set(fragment, owner);
    this.#sections++;
    of.sections++;
    of.fragments.add(fragment);
    this.#of.set(claim.dialog, of);
  }

  /** The dialog's descriptions are gone, with what they named. */
  onDialogGone(d: Dialog): void {
    for (const fragment of [...(this.#of.get(d)?.fragments ?? [])]) this.#drop(fragment);
  }

  #evict(): void {
    const [oldest] = this.#owners.keys();
    if (oldest === undefined) return;
    this.#drop(oldest);
    this.evicted++;
  }

  #drop(fragment: string): void {
    const owner = this.#owners.get(fragment);
    if (owner === undefined) return;
    this.#owners.delete(fragment);
    this.#sections -= owner.sections.length;
    const of = this.#of.get(owner.dialog);
    if (of === undefined) return;
    of.fragments.delete(fragment);
    of.sections -= owner.sections.length;
    if (of.fragments.size === 0) this.#of.delete(owner.dialog);
  }
}
