/**
 * Runs the terminal's screens over a capture, or over a running service, until somebody ends them or a signal comes.
 */

import { constants } from 'node:os';
import type { Config } from '../config/config.ts';
import { faults } from '../core/faults.ts';
import type { Explorer } from '../explore/port.ts';
import type { Asked } from '../faces/cli/asked.ts';
import { readAsked } from '../faces/cli/asked.ts';
import { openService } from '../faces/cli/running-service.ts';
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
        explorer,
        {
          question: newestFirst(asked.question),
          filterText: config.filter ?? '',
          isCallsOnly: config.calls,
          isUtc: config.utc,
          showsSecrets: config.showSecrets,
          source: sourceOf(config),
        },
        (events) => new Tty(asked.style.color, events),
      );
      standardError.divert(screens.log);
      const { ended } = screens;
      faults.run('face', () => ended.then(() => stop.end()));
    });
    await Promise.race([reading, stop.came]);
    await stop.came;
    await reading;
  } finally {
    standardError.divert(null);
    (screens as Interactive | null)?.close();
    session.outputs.close();
    session.close();
    limitEnd();
  }
  return stop.exitCode;
}

/** Shows what a running service captures. The exit code. Throws ServiceError where it cannot be reached. */
export async function connect(config: Config): Promise<number> {
  const asked = readAsked(config);
  refuseUnfit('--connect');
  const { port, source } = await openService(config);
  let exitCode = 0;
  let screens: Interactive | null = null;
  try {
    screens = openInteractive(
      port,
      {
        question: newestFirst(asked.question),
        filterText: config.filter ?? '',
        isCallsOnly: config.calls,
        isUtc: config.utc,
        showsSecrets: false,
        source,
      },
      (events) => new Tty(asked.style.color, events),
    );
    standardError.divert(screens.log);
    const { close, ended } = screens;
    // A second signal ends the process at once.
    const ends = (['SIGINT', 'SIGTERM'] as const).map((name) => {
      const onSignal = (): void => {
        exitCode = 128 + constants.signals[name];
        close();
      };
      process.once(name, onSignal);
      return () => process.off(name, onSignal);
    });
    await ended;
    for (const end of ends) end();
  } finally {
    standardError.divert(null);
    screens?.close();
    port.close();
  }
  return exitCode;
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
