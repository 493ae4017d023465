/** Where the peer's control program is: a path the operator named, else a known name on the search path. */

import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';

/** Names looked for on the search path, in this order. */
const NAMES = ['peer_ctl', 'tfps_ctl'];

/** The path of the program, or null without one. A named path counts as there even if it cannot be executed. */
export async function locatePeer(named: string | null, searchPath: string): Promise<string | null> {
  if (named !== null) {
    const path = resolve(named);
    return (await exists(path)) ? path : null;
  }
  const folders = searchPath.split(delimiter).filter((folder) => folder !== '');
  for (const name of NAMES) {
    for (const folder of folders) {
      const path = resolve(join(folder, name));
      if (await isProgram(path)) return path;
    }
  }
  return null;
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    return false;
  }
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
