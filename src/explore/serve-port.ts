/**
 * What servers ask for: `/v1`, `/ask`, agents and metrics. A capture here answers at once, a running service and a store of many
 * hosts take a while: only what shows the process itself is at hand.
 */
import type { AskSecurity, CaptureReport, Stats } from '../contract/index.ts';
import type { Pulse } from '../view/pulse.ts';
import type { AskPort } from './ask-port.ts';
import type { Explorer } from './explorer.ts';
import type { Answer } from './refusal.ts';
import type { Selected } from './selector.ts';

/** What agents ask for, and every other server. */
type OfAgents =
  | 'page'
  | 'call'
  | 'report'
  | 'legs'
  | 'messages'
  | 'ladder'
  | 'text'
  | 'correlated'
  | 'tree'
  | 'lint'
  | 'streams'
  | 'stream'
  | 'trunks';

type OfRoutes =
  | 'dialogs'
  | 'dialog'
  | 'head'
  | 'quality'
  | 'compare'
  | 'sipp'
  | 'capture'
  | 'audio'
  | 'vcon'
  | 'findings'
  | 'registrations'
  | 'changes'
  | 'metrics'
  | 'persistence'
  | 'setPersistence';

/** At hand in a capture, and asked for elsewhere. */
type Later = {
  /** The call that a selector means; rows and prefixes are not taken. */
  select(selector: string, question: null): Answer<Selected>;
  stats(): Answer<Stats>;
  captureReport(): Answer<CaptureReport>;
  /** Attackers that were reported, the newest first. */
  security(): Answer<AskSecurity>;
  pulse(): Answer<Pulse>;
};

export type ServePort = Pick<AskPort & Explorer, OfAgents | OfRoutes> & Later;

export type AgentPort = Pick<ServePort, OfAgents | 'select' | 'stats' | 'captureReport'>;
