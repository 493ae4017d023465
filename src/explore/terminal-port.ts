/**
 * What the terminal asks for: a part of the port that a capture here answers, or a running service over HTTP. What is at hand
 * here may take a while there.
 */
import type { Explorer } from './explorer.ts';
import type { ServePort } from './serve-port.ts';

type Shared =
  | 'page'
  | 'changes'
  | 'call'
  | 'head'
  | 'legs'
  | 'messages'
  | 'ladder'
  | 'text'
  | 'quality'
  | 'compare'
  | 'sipp'
  | 'capture'
  | 'audio'
  | 'findings'
  | 'registrations'
  | 'trunks'
  | 'security';

export type TerminalPort = Pick<ServePort, Shared> &
  Pick<Explorer, 'pulse'> & {
    /** What keeps all answers away at this moment, for a person; '' where nothing does. */
    trouble(): string;
  };

/** The port of a capture of this process. */
export function terminalPort(explorer: Explorer): TerminalPort {
  return { ...explorer, trouble: () => '' };
}
