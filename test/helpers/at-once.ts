/** What is made of a dialog in steps, made at once: a test holds nobody up. */

import type { Said } from '../../src/actions/ship/said-reader.ts';
import { saidSteps } from '../../src/actions/ship/said-reader.ts';
import { CallSource } from '../../src/analysis/call-source.ts';
import type { DialogFacts } from '../../src/analysis/dialog-facts.ts';
import { dialogFactsSteps } from '../../src/analysis/dialog-facts.ts';
import type { Evidence } from '../../src/analysis/evidence.ts';
import type { Dialog as DialogDocument } from '../../src/contract/index.ts';
import { finish } from '../../src/core/turns.ts';
import type { Dialog } from '../../src/store/dialogs/dialog.ts';
import { dialogDocumentSteps } from '../../src/view/documents.ts';

export function dialogFacts(e: Evidence, d: Dialog): DialogFacts {
  return finish(dialogFactsSteps(e, d));
}

export function saidOf(e: Evidence, d: Dialog): Said {
  return finish(saidSteps(new CallSource(e, d)));
}

export function dialogDocument(e: Evidence, d: Dialog): DialogDocument {
  return finish(dialogDocumentSteps(e, d));
}
