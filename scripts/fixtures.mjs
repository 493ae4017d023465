// Writes the generated files of fixtures/ from dist/ (run the TypeScript build first); with --check only compares.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const target = join(root, 'fixtures');
const generator = join(process.env.CALLTAP_DIST ?? join(root, 'dist'), 'fixtures/build/files.js');
const check = process.argv.includes('--check');

if (!existsSync(generator)) {
  console.error(`fixtures: ${generator} is missing; run npm run build:ts first`);
  process.exit(1);
}

const { fixtureFiles } = await import(pathToFileURL(generator).href);
const files = fixtureFiles();
const wanted = new Set(files.map((f) => f.path));
// In these two folders everything is generated: what no generator names is a leftover.
const leftovers = ['expected', 'pcap'].flatMap((folder) => {
  const path = join(target, folder);
  return existsSync(path)
    ? readdirSync(path)
        .map((name) => `${folder}/${name}`)
        .filter((name) => !wanted.has(name))
    : [];
});
const stale = files.filter(({ path, bytes }) => {
  const at = join(target, path);
  return !existsSync(at) || !readFileSync(at).equals(bytes);
});
const total = files.reduce((sum, f) => sum + f.bytes.length, 0);

if (check) {
  for (const { path } of stale) console.error(`fixtures: ${path} is not what its generator makes`);
  for (const path of leftovers) console.error(`fixtures: ${path} has no generator`);
  if (stale.length + leftovers.length > 0) process.exit(1);
  console.log(`fixtures: ${files.length} files current, ${total} bytes`);
} else {
  for (const path of leftovers) rmSync(join(target, path));
  for (const { path, bytes } of stale) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), bytes);
  }
  console.log(
    `fixtures: ${stale.length} of ${files.length} files written, ${leftovers.length} removed, ${total} bytes in all`,
  );
}
