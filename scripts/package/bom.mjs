// The bill of materials in the form of CycloneDX: npm's own, with Node and the libraries inside the addon.
import { createHash } from 'node:crypto';
import { capture, npm } from '../steps/run.mjs';
import { linkedLibraries } from './libraries.mjs';
import { NODE_INSIDE } from './machines.mjs';
import { sourceDate } from './tree.mjs';

const LICENSES = { zlib: 'Zlib', elfutils: 'LGPL-3.0-or-later OR GPL-2.0-or-later', libbpf: 'BSD-2-Clause' };
const NAMES = { elfutils: 'libelf' };

function library({ name, version }) {
  return {
    type: 'library',
    name: NAMES[name] ?? name,
    version,
    purl: `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=source`,
    licenses: [{ expression: LICENSES[name] }],
  };
}

/** The text; equal for equal inputs. `runtime` is the folder of runtimePackages(). */
export function billOfMaterials(runtime) {
  const [program, lead] = npm();
  const words = [
    ...lead,
    'sbom',
    '--package-lock-only',
    '--omit=dev',
    '--sbom-format=cyclonedx',
    '--sbom-type=application',
  ];
  const { code, output } = capture(program, words, { cwd: runtime });
  if (code !== 0) throw new Error(`npm sbom: ${output.trimEnd()}`);
  const bom = JSON.parse(output.slice(output.indexOf('{')));
  const node = {
    type: 'application',
    name: 'node',
    version: NODE_INSIDE.version,
    licenses: [{ license: { id: 'MIT' } }],
  };
  bom.components.push({ ...node, purl: `pkg:generic/node@${NODE_INSIDE.version}` }, ...linkedLibraries().map(library));
  bom.metadata.timestamp = new Date(sourceDate() * 1000).toISOString();
  delete bom.serialNumber;
  const digest = createHash('sha256').update(JSON.stringify(bom)).digest('hex');
  const serial = `${digest.slice(0, 8)}-${digest.slice(8, 12)}-5${digest.slice(13, 16)}-a${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
  return `${JSON.stringify({ ...bom, serialNumber: `urn:uuid:${serial}` }, null, 2)}\n`;
}
