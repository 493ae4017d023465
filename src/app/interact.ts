/**
 * Runs a capture under what takes the standard streams, until somebody ends it or a signal comes: the terminal's screens, or
 * the agent protocol.
 */
import type { Config } from '../config/config.ts';
import { isNeverGone } from '../core/turns.ts';
import type { Explorer } from '../explore/explorer.ts';
import { terminalPort } from '../explore/terminal-port.ts';
import type { Asked } from '../faces/cli/asked.ts';
import { standardError } from '../faces/cli/standard-streams.ts';
import type { Interactive } from '../faces/tui/interactive.ts';
import { openInteractive } from '../faces/tui/interactive.ts';
import { refuseUnfit, Tty } from '../faces/tui/tty.ts';
import type { Capturing } from './read-files.ts';
import type { Session } from './session.ts';
import type { StopSignal } from './stop-signal.ts';
import { limitEnd } from './stop-signal.ts';

/** The exit code. Throws ServiceError, with the terminal as it was. */
export async function interact(
  session: Session,
  explorer: Explorer,
  config: Config,
  asked: Asked,
  capture: Capturing,
  stop: StopSignal,
): Promise<number> {
  let screens: Interactive | null = null;
  try {
    refuseUnfit();
    const reading = capture(() => {
      screens = openInteractive(
        terminalPort(explorer),
        {
          question: newestFirst(asked.question),
          filterText: config.filter ?? '',
          isUtc: config.utc,
          showsSecrets: config.showSecrets,
          source: sourceOf(config),
        },
        (events) => new Tty(asked.style.color, events),
      );
      standardError.divert(screens.log);
      void screens.ended.then(() => stop.end());
    });
    await whileOpen(reading, stop);
  } finally {
    standardError.divert(null);
    (screens as Interactive | null)?.close();
    closeAll(session);
  }
  return stop.exitCode;
}

/** The agent protocol on standard input and output. The exit code. Throws ServiceError. */
export async function serveAgent(
  session: Session,
  readers: Explorer,
  { apiMaxRows: maxRows }: Config,
  capture: Capturing,
  stop: StopSignal,
): Promise<number> {
  // The library is a package, and is loaded for this alone.
  const { speakOnStdio } = await import('../serve/mcp/stdio.ts');
  const reading = capture(() => undefined);
  // An answer of half a file would be taken for the whole.
  const whenReady = session.figures.isLive ? Promise.resolve() : reading.then(nothing, nothing);
  const speech = speakOnStdio({ readers, maxRows, isGone: isNeverGone, whenReady, log: () => undefined }, (line) =>
    standardError.write(`calltap: ${line}\n`),
  );
  void speech.ended.then(() => stop.end());
  try {
    await whileOpen(reading, stop);
  } finally {
    await speech.close();
    closeAll(session);
  }
  return stop.exitCode;
}

function nothing(): void {
  // Whoever waits for the reading hears why it failed.
}

/** A file that cannot be read ends the run. */
async function whileOpen(reading: Promise<unknown>, stop: StopSignal): Promise<void> {
  await Promise.race([reading, stop.came]);
  await stop.came;
  await reading;
}

function closeAll(session: Session): void {
  session.outputs.close();
  session.close();
  limitEnd();
}

/** Whoever looks wants the newest call on top; --sort says otherwise. */
function newestFirst({ filter, sort }: Asked['question']): Asked['question'] {
  return { filter, sort: sort.by === 'created' ? { by: 'created', isDescending: true } : sort };
}

function sourceOf({ device, input, hepListen, uprobe }: Config): string {
  const parts = [...device, ...input];
  if (hepListen !== null) parts.push(`HEP ${hepListen.host}:${hepListen.port}`);
  if (uprobe.length > 0) parts.push(`TLS of ${uprobe.join(', ')}`);
  return parts.join(' ');
}
