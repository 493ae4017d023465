/** Speaks the agent protocol on standard input and output, until the other side closes them. */

import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { faults } from '../../core/faults.ts';
import { packageVersion } from '../../core/package.ts';
import { createAgentServer } from './agent-server.ts';
import type { ToolClient } from './tools.ts';

export type AgentSpeech = {
  /** The other side has closed standard input. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
};

/** Standard output carries the protocol and nothing else; `say` gets a line for people. */
export function speakOnStdio(asked: ToolClient, say: (line: string) => void): AgentSpeech {
  const onFault = (error: unknown): void => faults.note('route', error);
  const handle = serveStdio(() => createAgentServer(asked, packageVersion(), onFault), {
    onerror: (error) => say(`agent protocol: ${error.message}`),
  });
  return {
    // A file and /dev/null end without being closed.
    ended: new Promise((resolve) => process.stdin.once('end', resolve).once('close', resolve)),
    close: () => handle.close(),
  };
}
