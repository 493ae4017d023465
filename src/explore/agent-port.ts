/**
 * What agents ask for: a part of the port that a capture here answers, or a running service over HTTP. What is at hand here may
 * take a while there, or may not come.
 */
import type { CaptureReport, Correlation, Stats } from '../contract/index.ts';
import type { AskPort } from './ask-port.ts';
import type { Explorer } from './explorer.ts';
import type { InTurns } from './found.ts';
import type { Selected } from './selector.ts';

type Shared =
  | 'page'
  | 'call'
  | 'report'
  | 'legs'
  | 'messages'
  | 'ladder'
  | 'text'
  | 'tree'
  | 'lint'
  | 'streams'
  | 'stream'
  | 'trunks';

export type AgentPort = Pick<AskPort & Explorer, Shared> & {
  /** The call that a selector means; rows and prefixes are not taken. */
  select(selector: string, question: null): InTurns<Selected>;
  /** Legs tied to the dialog itself. */
  correlated(callId: string, maxRows: number): Promise<Correlation | null> | Correlation | null;
  stats(): InTurns<Stats>;
  captureReport(): InTurns<CaptureReport>;
  /** Why the newest answer that is null did not come, for a person; absent where that is always for too many questions. */
  whyNone?(): string;
};
