/**
 * The terminal over a capture: puts the screens together. It asks the port alone, and nothing of it is waited for by the
 * capture.
 */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { errnoOf } from '../../core/errors.ts';
import type { Explorer } from '../../explore/explorer.ts';
import type { CallsQuestion } from '../../explore/question.ts';
import { parseFilter } from '../../query/parse.ts';
import { App } from './app.ts';
import { CallList } from './call-list.ts';
import { CallView } from './call-view.ts';
import { CallsView } from './calls-view.ts';
import { LOOK } from './cells.ts';
import { FilterLine } from './filter-line.ts';
import { SourceStrip } from './source-strip.ts';
import { helpLines, TextView } from './text-view.ts';
import type { Screen, TtyEvents } from './tty.ts';

/** Lines for people that are kept while the screen hides them. */
const LOG_LINES = 200;

export type InteractiveOptions = {
  readonly question: CallsQuestion;
  readonly filterText: string;
  readonly isUtc: boolean;
  readonly showsSecrets: boolean;
  /** What is captured or read. */
  readonly source: string;
  /** How much of the files was read, 0 to 1; null of a live source. */
  readonly progress: () => number | null;
};

export type Interactive = {
  /** Somebody ended it, or the terminal has gone. */
  readonly ended: Promise<void>;
  /** A line that would have gone to standard error. */
  log(line: string): void;
  /** The terminal is as it was. */
  close(): void;
};

/** `open` makes the terminal. Throws TERMINAL_UNFIT. */
export function openInteractive(
  explorer: Explorer,
  options: InteractiveOptions,
  open: (events: TtyEvents) => Screen,
): Interactive {
  const { isUtc, showsSecrets } = options;
  const log: string[] = [];
  const strip = new SourceStrip(options.source, () => explorer.pulse(), options.progress);
  const app: App = new App(
    () => screen,
    strip.draw,
    (a) => [
      { keys: ['?', 'f1', 'h'], short: 'Help', help: 'Show what each key does here.', run: () => help(a) },
      { keys: ['L'], help: 'Show what calltap said.', run: () => a.push(new TextView(a, 'Log', log)) },
      { keys: ['ctrl-l'], help: 'Draw the screen anew.', run: () => a.onResize() },
      { keys: ['ctrl-c', 'q', 'f10'], short: 'Quit', help: 'End calltap.', run: () => a.quit() },
    ],
  );
  const screen = open({
    onKey: (key) => app.onKey(key),
    onResize: () => app.onResize(),
    onEnd: () => app.quit(),
  });
  const list = new CallList(explorer, options.question, () => app.changed());
  const filter = new FilterLine(options.filterText, isUtc, {
    onAccepted: (accepted) => void calls.ask({ ...list.question, filter: accepted }),
    onMistake: (text) => app.say(text, LOOK.red),
  });
  const show = (callId: string): void =>
    app.push(new CallView(app, callId, { port: explorer, isUtc, showsSecrets, save: (callIds) => void save(callIds) }));
  const calls: CallsView = new CallsView(app, {
    list,
    filter,
    isUtc,
    open: ([callId = '']) => show(callId),
    newestFailure: async () => {
      const failed = parseFilter('state:Failed', { isUtc });
      const asked = { filter: failed.ok ? failed.filter : null, sort: { by: 'created', isDescending: true } } as const;
      return (await explorer.page(asked, 1, ''))?.calls[0]?.call_id ?? null;
    },
  });

  function help(a: App): void {
    const { title } = a.top;
    a.push(new TextView(a, 'Help', helpLines(`Keys of: ${title}`, a.tables)));
  }

  async function save(callIds: readonly string[]): Promise<void> {
    const [first = ''] = callIds;
    app.say('writing the capture');
    try {
      const found = (await explorer.capture(callIds))?.document ?? { reason: 'the call is not here any more' };
      if ('reason' in found) return app.say(found.reason, LOOK.red);
      const path = await writeNew(fileNameOf(first), found.file);
      const lack = found.lack === '' ? '' : `, without ${found.lack}`;
      app.say(
        `${path}: ${found.bytes} bytes${found.isRebuilt ? ', SIP rebuilt from messages' : ''}${lack}`,
        LOOK.green,
      );
    } catch (error) {
      app.say(`cannot write the capture: ${errnoOf(error) ?? String(error)}`, LOOK.red);
    }
  }

  const ended = app.run(calls);
  void list.read();
  return {
    ended,
    log(line) {
      log.push(...line.trimEnd().split('\n'));
      log.splice(0, log.length - LOG_LINES);
      app.say(log.at(-1) ?? '', LOOK.yellow);
    },
    close() {
      app.quit();
      screen.close();
    },
  };
}

/** Captured text is no path: only these characters of a Call-ID stay. */
function fileNameOf(callId: string): string {
  return (
    callId
      .replace(/[^A-Za-z0-9._-]/g, '_')
      .replace(/^\.+/, '_')
      .slice(0, 80) || 'call'
  );
}

/** Writes a file that is not there yet; its path. */
async function writeNew(name: string, content: NodeJS.ReadableStream): Promise<string> {
  for (let n = 1; ; n++) {
    const path = `${name}${n === 1 ? '' : `-${n}`}.pcapng`;
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
    try {
      await new Promise<void>((resolve, reject) => {
        file.once('open', () => resolve());
        file.once('error', reject);
      });
    } catch (error) {
      if (errnoOf(error) === 'EEXIST' && n < 1_000) continue;
      throw error;
    }
    await pipeline(content, file);
    return path;
  }
}
