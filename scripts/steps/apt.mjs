// apt with lists, cache and sources of its own in a folder: packages of any release and processor, from the archive that
// this machine's apt uses. Signatures are checked as always, nothing is installed, nothing of the host's apt changes.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { capture, captureTwice } from './run.mjs';

const KEYS = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** Where this machine's apt finds Debian: { main, security }. Throws one line without a main archive. */
export function archives() {
  const format = '$(REPO_URI) $(ORIGIN) $(LABEL)';
  const { output } = capture('apt-get', ['indextargets', '--format', format, 'Created-By: Packages']);
  const rows = output.split('\n').map((line) => line.trim().split(' '));
  const of = (label) => rows.find(([, origin, name]) => origin === 'Debian' && name === label)?.[0];
  const main = of('Debian');
  if (main === undefined)
    throw new Error('apt knows no archive of Debian; add one to its sources and run apt-get update');
  return { main, security: of('Debian-Security') };
}

/**
 * The options that make apt use `folder`. `sources` are lines such as `deb URI bookworm main`; `architectures` begins with
 * the native one. Call updateLists() before the first question.
 */
export function ownApt(folder, sources, architectures = ['amd64']) {
  for (const part of ['state/lists/partial', 'cache/archives/partial'])
    mkdirSync(join(folder, part), { recursive: true });
  writeFileSync(join(folder, 'status'), '');
  const signed = existsSync(KEYS) ? ` [signed-by=${KEYS}]` : '';
  const lines = sources.map((line) => line.replace(/^(deb(?:-src)?)\b/, `$1${signed}`));
  writeFileSync(join(folder, 'sources.list'), `${lines.join('\n')}\n`);
  return [
    `Dir::State=${join(folder, 'state')}`,
    `Dir::State::lists=${join(folder, 'state/lists')}`,
    `Dir::State::status=${join(folder, 'status')}`,
    `Dir::Cache=${join(folder, 'cache')}`,
    `Dir::Etc::sourcelist=${join(folder, 'sources.list')}`,
    'Dir::Etc::sourceparts=/dev/null',
    'Dir::Etc::preferencesparts=/dev/null',
    // The list of a release without support is out of date for good.
    'Acquire::Check-Valid-Until=false',
    'Acquire::Languages=none',
    `APT::Architecture=${architectures[0]}`,
    ...architectures.map((name) => `APT::Architectures::=${name}`),
    'APT::Sandbox::User=root',
  ].flatMap((option) => ['-o', option]);
}

/** Fetches the lists; what apt printed when that failed, else ''. */
export function updateLists(options, what) {
  const { code, output } = captureTwice(`packages of ${what}`, 'apt-get', [...options, '-q', 'update']);
  return code === 0 ? '' : output;
}

/**
 * Makes a root of a release by mmdebstrap: a folder, or an archive when `to` ends in .tar. `variant` extract unpacks only
 * what is included and runs nothing, so the architecture may be another one. Throws the last lines.
 */
export function makeRoot(to, { release, variant, include, architecture = 'amd64' }) {
  const options = [
    `--variant=${variant}`,
    `--architectures=${architecture}`,
    `--include=${include.join(',')}`,
    '--quiet',
  ];
  // A mirror may be old; the root keeps the option for its own apt.
  const words = [...options, '--aptopt=Acquire::Check-Valid-Until "false"', release, to, archives().main];
  const { code, output } = capture('mmdebstrap', words);
  if (code !== 0) throw new Error(`mmdebstrap ${release}: ${output.trim().split('\n').slice(-5).join('\n')}`);
}
