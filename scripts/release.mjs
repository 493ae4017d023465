// Makes a release: version, changelog, commit, tag, packages and their checksums.
//
//   npm run release -- 0.2.0
//
// It changes nothing before the checkout is clean and the version newer. Nothing is published: push the tag and copy
// build/packages by hand. On Debian 12, because it makes the packages.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './steps/files.mjs';
import { capture, npm, pass, say } from './steps/run.mjs';

const numbers = (version) => version.split('.').map(Number);

function isNewer(version, than) {
  const [a, b] = [numbers(version), numbers(than)];
  const at = a.findIndex((n, i) => n !== b[i]);
  return at >= 0 && a[at] > b[at];
}

/** What git prints; its error ends the release. */
function git(...words) {
  const { code, output } = capture('git', words);
  if (code !== 0) throw new Error(`git ${words[0]}: ${output.trimEnd()}`);
  return output.trim();
}

/** The changelog with the unreleased lines under the version, dated. */
export function dated(changelog, version, day) {
  const head = '## Unreleased\n';
  const [before, after] = changelog.split(head);
  if (after === undefined) throw new Error('CHANGELOG.md has no "## Unreleased"');
  if (!after.trimStart().startsWith('-'))
    throw new Error('CHANGELOG.md says nothing under "## Unreleased"; write what users get');
  return `${before}${head}\n## ${version}, ${day}\n${after}`;
}

function release([version, ...rest]) {
  if (!/^\d+\.\d+\.\d+$/.test(version ?? '') || rest.length > 0)
    throw new Error('usage: npm run release -- MAJOR.MINOR.PATCH');
  const about = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  if (!isNewer(version, about.version))
    throw new Error(`${version} is not newer than ${about.version}; choose a higher number`);
  if (git('status', '--porcelain') !== '') throw new Error('the checkout has changes; commit them or put them aside');
  const changelog = dated(
    readFileSync(join(root, 'CHANGELOG.md'), 'utf8'),
    version,
    new Date().toISOString().slice(0, 10),
  );
  writeFileSync(join(root, 'CHANGELOG.md'), changelog);
  for (const name of ['package.json', 'package-lock.json']) {
    const document = JSON.parse(readFileSync(join(root, name), 'utf8'));
    document.version = version;
    if (document.packages !== undefined) document.packages[''].version = version;
    writeFileSync(join(root, name), `${JSON.stringify(document, null, 2)}\n`);
  }
  git('commit', '-qam', `release: ${version}`);
  git('tag', '-a', `v${version}`, '-m', `calltap ${version}`);
  const [program, lead] = npm();
  if (pass(program, [...lead, 'run', 'package']) !== 0)
    throw new Error('the packages were not made; run "npm run package" again');
  say(`release: ${version} is committed, tagged and packed; push it: git push --follow-tags`);
}

try {
  release(process.argv.slice(2));
} catch (error) {
  say(`release: ${error.message}`);
  process.exitCode = 1;
}
