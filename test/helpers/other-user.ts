/**
 * Programs of the checkout that are run as another user: where it lies below a folder that others cannot enter (that of root),
 * it is shown to them in a mount namespace of their own, in the same place.
 */
import { constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { packageRoot } from '../../src/core/package.ts';

const ALL_MAY_ENTER = constants.S_IXOTH;

/** The outermost folder on the way to `path`, or it itself, that others cannot enter; null when they can read it. */
function closed(path: string): string | null {
  const above = dirname(path) === path ? null : closed(dirname(path));
  return above ?? ((statSync(path).mode & ALL_MAY_ENTER) === 0 ? path : null);
}

/** $1 the checkout, $2 the folder that hides it, then the command. Nothing outside of the namespace changes. */
const SHOW = `set -e
root=$1 hides=$2 aside=/mnt; shift 2
umask 022
mount --rbind "$root" "$aside"
mount -t tmpfs -o mode=755 none "$hides"
mkdir -p "$root"
for from in "$aside"/* ; do
  to=$root/\${from##*/}
  if [ -d "$from" ]; then mkdir "$to"; else : > "$to"; fi
  mount --rbind "$from" "$to"
done
exec "$@"`;

/** `words` start a program as another user (setpriv, say): behind what lets that user read the checkout, if it must be. */
export function asOtherUser(...words: readonly string[]): readonly string[] {
  const root = packageRoot();
  const hides = closed(root);
  return hides === null ? words : ['unshare', '--mount', 'sh', '-c', SHOW, 'sh', root, hides, ...words];
}
