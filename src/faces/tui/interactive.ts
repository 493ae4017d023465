/**
 * The terminal over a capture: puts the screens together. It asks the port alone, and nothing of it is waited for by the
 * capture.
 */

import { Player } from '../../actions/player.ts';
import type { Call } from '../../contract/index.ts';
import { faults } from '../../core/faults.ts';
import type { TerminalPort } from '../../explore/port.ts';
import type { CallsQuestion } from '../../explore/question.ts';
import type { Filter } from '../../query/filter.ts';
import { parseFilter } from '../../query/parse.ts';
import { comparisonLines } from '../cli/comparison.ts';
import { answerOr, whyMissing } from './answered.ts';
import { App } from './app.ts';
import { Bell } from './bell.ts';
import { CallList } from './call-list.ts';
import { CallView } from './call-view.ts';
import { CallsView } from './calls-view.ts';
import { LOOK } from './cells.ts';
import type { ShownLine } from './difference.ts';
import { FilterLine } from './filter-line.ts';
import { messageLines } from './message-lines.ts';
import { OverviewView } from './overview-view.ts';
import { Preview } from './preview.ts';
import type { HeardSpan } from './quality-view.ts';
import { QualityView } from './quality-view.ts';
import { FORMATS, saveCall, saveList, TABLE_FORMATS } from './save.ts';
import type { FileChoice } from './save-choice.ts';
import { chooseFile } from './save-choice.ts';
import { Shown } from './shown.ts';
import { Sound } from './sound.ts';
import { SourceStrip } from './source-strip.ts';
import type { TableParts } from './table-view.ts';
import { TableView } from './table-view.ts';
import { findingsTable, registrationsTable, securityTable } from './tables.ts';
import { helpLines, TextView } from './text-view.ts';
import { trunksTable } from './trunk-tables.ts';
import type { Screen, TtyEvents } from './tty.ts';

/** Lines for people that are kept while the screen hides them. */
const LOG_LINES = 200;
/** BEL (ECMA-48): what a terminal does then is its user's choice. */
const RING = '\u0007';

export type InteractiveOptions = {
  readonly question: CallsQuestion;
  readonly filterText: string;
  readonly isCallsOnly: boolean;
  readonly isUtc: boolean;
  readonly showsSecrets: boolean;
  /** What is captured or read. */
  readonly source: string;
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
  port: TerminalPort,
  options: InteractiveOptions,
  open: (events: TtyEvents) => Screen,
): Interactive {
  const { showsSecrets } = options;
  const shown = new Shown(options.isUtc);
  const log: string[] = [];
  const strip = new SourceStrip(options.source, port);
  const app: App = new App(
    () => screen,
    strip.draw,
    (a) => [
      { keys: ['?', 'f1', 'h'], short: 'Help', help: 'Show what each key does here.', run: () => help(a) },
      {
        keys: ['H'],
        short: 'Home',
        help: 'Show how the host is doing: calls over time, trunks, who calls whom.',
        run: goHome,
      },
      {
        keys: ['F'],
        short: 'Findings',
        help: 'Show what is wrong with calls, by finding and code.',
        run: () => table(findingsTable),
      },
      {
        keys: ['R'],
        short: 'Registrations',
        help: 'Show who registers, from where, and who fails.',
        run: () => table(registrationsTable),
      },
      {
        keys: ['T'],
        short: 'Trunks',
        help: 'Show trunks: up or down, answered, how they sound.',
        run: () => table(trunksTable),
      },
      { keys: ['S'], help: 'Show attackers that were reported.', run: () => table(securityTable) },
      { keys: ['c'], help: 'Colour by method and answer, by call, or not.', run: () => a.say(shown.nextColoring()) },
      { keys: ['W'], help: 'Show times in UTC, or local ones.', run: () => turnZone(a) },
      { keys: ['L'], help: 'Show what calltap said.', run: () => a.push(new TextView(a, 'Log', log)) },
      { keys: ['ctrl-l'], help: 'Draw the screen again.', run: () => a.onResize() },
      { keys: ['ctrl-c', 'q', 'f10'], short: 'Quit', help: 'End calltap.', run: () => a.quit() },
    ],
  );
  const screen = open({
    onKey: (key) => app.onKey(key),
    onResize: () => app.onResize(),
    onEnd: () => app.quit(),
  });
  const player = new Player(process.env);
  const sound = new Sound(app, port, player);
  const list = new CallList(port, options.question, () => app.changed());
  const bell = new Bell(port, (news) => {
    screen.write(RING);
    app.say(newsText(news), LOOK.yellow);
  });
  const clock = faults.every(1_000, 'tick', () => faults.run('face', () => bell.tick(list.question.filter)));
  const events = {
    onChosen: (chosen: Filter) => faults.run('face', () => calls.ask({ ...list.question, filter: chosen })),
  };
  const filter = new FilterLine(options.filterText, shown, events, options.isCallsOnly);
  const texts = (callIds: readonly string[]): void => faults.run('face', () => showTexts(callIds));
  const show = (callId: string, hasLegs = false): void => {
    const view = new CallView(app, callId, { port, shown, showsSecrets, save, texts, quality, hear });
    app.push(view);
    if (hasLegs) view.showLegs();
  };
  const calls: CallsView = new CallsView(app, {
    list,
    filter,
    shown,
    bell,
    preview: new Preview(port, () => app.changed()),
    back: () => {
      if (isFromHome) goHome();
    },
    open: show,
    texts,
    save: saveRows,
    quality,
    hear,
    compare: (a, b) => faults.run('face', () => compare(a, b)),
    newestFailure: async () => {
      const failed = parseFilter('state:Failed', shown);
      const asked = { filter: failed.ok ? failed.filter : null, sort: { by: 'created', isDescending: true } } as const;
      try {
        const page = await port.page(asked, 1, '');
        return page.calls[0]?.call_id ?? { reason: 'no call failed' };
      } catch (error) {
        return { reason: whyMissing(error) };
      }
    },
  });

  /** The calls that the list shows were chosen at the home. */
  let isFromHome = false;
  const home = new OverviewView(app, {
    ...{ port, shown, open: show },
    filter: (text) => {
      showCalls(text);
      isFromHome = true;
      app.say('Esc leads back to the home');
    },
  });

  function goHome(): void {
    isFromHome = false;
    app.home();
    app.push(home);
    faults.run('face', () => home.read());
  }

  function showCalls(text: string): void {
    isFromHome = false;
    app.home();
    filter.set(text);
  }

  function quality(callId: string): void {
    const parts = {
      port,
      shown,
      hear: (span: HeardSpan) => faults.run('face', () => sound.turn(callId, span)),
      save: () => save([callId]),
    };
    app.push(new QualityView(app, callId, parts));
  }

  function hear(callId: string): void {
    faults.run('face', () => sound.turn(callId));
  }

  function table(make: typeof findingsTable): void {
    const events = {
      filter: showCalls,
      open: show,
      trunks: () => table(trunksTable),
      table: (parts: TableParts): void => app.push(new TableView(app, parts)),
    };
    app.push(
      new TableView(
        app,
        make(port, events, shown, { filter: list.question.filter, text: filter.text, label: filter.label }),
      ),
    );
  }

  function turnZone(a: App): void {
    a.say(shown.turnZone());
    // Texts of a table hold times.
    faults.run('face', () => a.top.read?.());
  }

  async function compare(a: string, b: string): Promise<void> {
    const say = (why: string): void => app.say(why, LOOK.red);
    const found = await answerOr(() => port.compare(a, b), say, 'these are not two calls that are here');
    if (found === null) return;
    const lines = [...comparisonLines(found, screen.width, false)];
    app.push(new TextView(app, 'Two calls: what differs is marked', lines.map(marked)));
  }

  async function showTexts(callIds: readonly string[]): Promise<void> {
    const say = (why: string): void => app.say(why, LOOK.red);
    const found = await answerOr(() => port.messages(callIds, { showsSecrets }), say);
    if (found !== null) app.push(new TextView(app, 'Messages', messageLines(found, shown)));
  }

  function help(a: App): void {
    a.push(new TextView(a, 'Help', helpLines(a.top, a.tables)));
  }

  function filesOf(callIds: readonly string[]): FileChoice[] {
    const style = { isUtc: shown.isUtc, showsSecrets };
    return FORMATS.map(({ key, name, help: what }) => ({
      ...{ key, help: what },
      save: () => saveCall(port, callIds, name, style),
    }));
  }

  function save(callIds: readonly string[]): void {
    chooseFile(app, filesOf(callIds));
  }

  /** The call of the row, and the whole list. */
  function saveRows(callIds: readonly string[]): void {
    const ofList = TABLE_FORMATS.map(({ key, form, help: what }) => ({
      ...{ key, help: `list as ${what}` },
      save: () => saveList(port, list.question, form, shown.isUtc),
    }));
    chooseFile(app, [...(callIds.length === 0 ? [] : filesOf(callIds)), ...ofList]);
  }

  const ended = app.run(calls);
  faults.run('face', () => list.read());
  return {
    ended,
    log(line) {
      log.push(...line.trimEnd().split('\n'));
      log.splice(0, log.length - LOG_LINES);
      app.say(log.at(-1) ?? '', LOOK.yellow);
    },
    close() {
      clearInterval(clock);
      app.quit();
      player.close();
      screen.close();
    },
  };
}

function newsText(calls: readonly Call[]): string {
  const [call] = calls;
  if (call === undefined || calls.length > 1) return `${calls.length} new dialogs pass the filter`;
  const [from = '', to = ''] = [call.from_user ?? call.from_host, call.to_user ?? call.to_host];
  return `new: ${call.method} ${from} \u2192 ${to}  ${call.state}`;
}

function marked(text: string): ShownLine {
  return { text, look: text.startsWith('!') ? LOOK.yellow : LOOK.plain };
}
