// Tells from its name in which part of the tests a file is (CONTRIBUTING.md, Tests).

const SLOW = /\.slow\.(?:test\.ts|c)$|\/fuzz_[a-z_]+\.c$/;

/** `path` from the root of the repository: 'quick', 'slow' or 'store'. */
export function partOf(path) {
  if (path.startsWith('test/store/')) return 'store';
  return SLOW.test(path) ? 'slow' : 'quick';
}
