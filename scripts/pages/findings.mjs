// docs/diagnosis.md: its tables of names are written from the table of findings; the rest of the page is written by hand.
import { tableOf, withPart } from '../steps/page.mjs';

const code = (word) => `\`${word}\``;

/** The words of /v1 for a finding: members of a dialog's diagnosis, and the kind of `/v1/report`. */
function imposed({ diagnosis, signaling, report } = {}) {
  const words = [diagnosis, signaling, report].filter((word) => word !== undefined);
  return [...new Set(words)].map(code).join(', ') || '-';
}

/** One finding a paragraph: what explains it, what it rests on, and what mends it. */
function remedies(findings) {
  return Object.entries(findings)
    .filter(([, { remedy }]) => remedy !== undefined)
    .map(([name, { ground = 'seen', effects = [], remedy }]) => {
      const explains = effects.length === 0 ? '' : ` Explains ${effects.map(code).join(', ')}.`;
      return `- ${code(name)} (${ground}).${explains} ${remedy}`;
    });
}

function tableOfFindings(findings) {
  const rows = Object.entries(findings).map(([name, { severity, unit, v1, meaning, causes, look, healthySince }]) => [
    code(name),
    imposed(v1),
    `${severity}, ${unit}`,
    meaning,
    `${causes.join('; ')}.`,
    look,
    healthySince ?? '-',
  ]);
  return tableOf(['name', 'in `/v1`', 'severity, unit', 'seen', 'usual causes', 'where to look', 'tried since'], rows);
}

/** `page` with the tables of findings. */
export function diagnosisPage(page, { CALL_FINDINGS, REPORT_FINDINGS }) {
  const ofCalls = withPart(page, 'findings of calls', tableOfFindings(CALL_FINDINGS));
  const ofCaptures = withPart(ofCalls, 'findings of captures', tableOfFindings(REPORT_FINDINGS));
  return withPart(ofCaptures, 'remedies', remedies({ ...CALL_FINDINGS, ...REPORT_FINDINGS }));
}
