/**
 * What the terminal asks for: a part of the port that a capture here answers, or a running service over HTTP. What is at hand
 * here may take a while there.
 */
import type { AskSecurity } from '../contract/index.ts';
import type { AskPort } from './ask-port.ts';
import type { Explorer } from './explorer.ts';
import type { InTurns } from './found.ts';

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
  | 'pulse';

/** None of it rejects or throws: an answer that does not come is null. */
export type TerminalPort = Pick<AskPort & Explorer, Shared> & {
  /** Attackers that were reported, the newest first. */
  security(): InTurns<AskSecurity>;
  /** Why the newest answer that is null did not come, for a person. */
  whyNone(): string;
  /** What keeps all answers away at this moment, for a person; '' where nothing does. */
  trouble(): string;
};

/** The port of a capture of this process. */
export function terminalPort(explorer: Explorer): TerminalPort {
  return { ...explorer, whyNone: () => 'too many questions at once', trouble: () => '' };
}
