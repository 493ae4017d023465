/** One call of `/ask`: its document, messages, ladder, quality, comparison, report, capture, scenarios and audio. */

import type { Readable } from 'node:stream';
import { Type } from 'typebox';
import {
  AskAudioQuery,
  AskCompare,
  AskCompareQuery,
  AskHead,
  AskLadder,
  AskLegsQuery,
  AskMessages,
  AskQuality,
  AskReportQuery,
  AskSipp,
  CallDocument,
  SelectorParams,
} from '../../contract/index.ts';
import { callIdFileName } from '../../core/file-name.ts';
import { compileParameters } from '../api/parameters.ts';
import type { App } from '../api/routes/route.ts';
import { answer, refusals, signalOf } from '../api/routes/route.ts';
import { ProblemError } from '../http/problem-error.ts';
import type { AskDeps } from './asking.ts';
import { heavily, OF_CALL, readCalls, readSelector, withNotes } from './asking.ts';

/** Of a page; a ladder in a browser or a file is as wide as it must be. */
const STYLE = { width: null, color: false, isUtc: true } as const;

/** What a header field may hold. */
const headerText = (words: string): string => words.replace(/[^ -~]/g, '?').slice(0, 300);

const text = (mediaType: string, description: string) => ({
  description,
  content: { [mediaType]: { schema: Type.Unsafe<string>({ type: 'string' }) } },
});

export function addCallRoutes(app: App, { readers, whose, log, unread }: AskDeps): void {
  app.get(
    '/ask/calls/:selector',
    {
      validatorCompiler: compileParameters,
      schema: {
        operationId: 'askCall',
        summary: 'One call',
        tags: ['ask'],
        params: SelectorParams,
        response: {
          200: answer('The dialog, with `created_at` and `updated_at`.', CallDocument),
          ...refusals(...OF_CALL),
        },
      },
    },
    async (request) => readers.call(await readSelector(readers, request.params.selector), signalOf(request)),
  );

  app.get(
    '/ask/calls/:selector/head',
    {
      validatorCompiler: compileParameters,
      schema: {
        operationId: 'askHead',
        summary: 'The list row of a call, and what is wrong with it in sentences',
        tags: ['ask'],
        params: SelectorParams,
        response: { 200: answer('What stands on top of the call.', AskHead), ...refusals(...OF_CALL) },
      },
    },
    async (request) => readers.head(await readSelector(readers, request.params.selector), signalOf(request)),
  );

  app.get(
    '/ask/calls/:selector/messages',
    {
      validatorCompiler: compileParameters,
      schema: {
        operationId: 'askMessages',
        summary: 'The raw messages of a call, without credentials and keys',
        tags: ['ask'],
        params: SelectorParams,
        querystring: AskLegsQuery,
        response: { 200: answer('The messages in order of time.', AskMessages), ...refusals(...OF_CALL) },
      },
    },
    async (request) => {
      unread.checkRoom('text');
      const { calls, notes } = await readCalls(readers, signalOf(request), request.params.selector, request.query.legs);
      const found = withNotes(await readers.messages(calls, false, signalOf(request)), notes);
      const bytes = found.messages.reduce((sum, m) => sum + m.text.length, 0);
      log(`${whose(request)} read messages of ${JSON.stringify(request.params.selector)}, ${bytes} bytes`);
      return found;
    },
  );

  app.get(
    '/ask/calls/:selector/ladder',
    {
      validatorCompiler: compileParameters,
      schema: {
        operationId: 'askLadder',
        summary: 'Who sent what to whom, and the media',
        tags: ['ask'],
        params: SelectorParams,
        querystring: AskLegsQuery,
        response: { 200: answer('Lifelines, steps and streams.', AskLadder), ...refusals(...OF_CALL) },
      },
    },
    async (request) => {
      unread.checkRoom('text');
      const { calls, notes } = await readCalls(readers, signalOf(request), request.params.selector, request.query.legs);
      return withNotes(await readers.ladder(calls, signalOf(request)), notes);
    },
  );

  app.get(
    '/ask/calls/:selector/quality',
    {
      validatorCompiler: compileParameters,
      schema: {
        operationId: 'askQuality',
        summary: 'The streams of a call with their windows',
        tags: ['ask'],
        params: SelectorParams,
        response: { 200: answer('The streams, the newest first.', AskQuality), ...refusals(...OF_CALL) },
      },
    },
    async (request) => readers.quality(await readSelector(readers, request.params.selector), signalOf(request)),
  );

  app.get(
    '/ask/calls/:selector/compare',
    {
      validatorCompiler: compileParameters,
      schema: {
        operationId: 'askCompare',
        summary: 'Two calls side by side',
        tags: ['ask'],
        params: SelectorParams,
        querystring: AskCompareQuery,
        response: { 200: answer('What differs is marked.', AskCompare), ...refusals(...OF_CALL) },
      },
    },
    async (request) => {
      unread.checkRoom('text');
      const a = await readSelector(readers, request.params.selector);
      const b = await readSelector(readers, request.query.with);
      return heavily(signalOf(request), () => readers.compare(a, b, signalOf(request)));
    },
  );

  app.get(
    '/ask/calls/:selector/report',
    {
      validatorCompiler: compileParameters,
      schema: {
        operationId: 'askReport',
        summary: 'The report of a call for people: text, Markdown with a diagram, or the ladder alone',
        tags: ['ask'],
        params: SelectorParams,
        querystring: AskReportQuery,
        response: { 200: text('text/plain', 'The report.'), ...refusals(...OF_CALL) },
      },
    },
    async (request, reply) => {
      unread.checkRoom('text');
      const { layout = 'text', legs } = request.query;
      const { calls, notes } = await readCalls(readers, signalOf(request), request.params.selector, legs);
      const lines = await heavily(signalOf(request), () => readers.text(calls, layout, STYLE, signalOf(request)));
      reply.type(layout === 'markdown' ? 'text/markdown; charset=utf-8' : 'text/plain; charset=utf-8');
      return reply.send(`${[...lines, ...notes].join('\n')}\n`);
    },
  );

  app.get(
    '/ask/calls/:selector/capture',
    {
      validatorCompiler: compileParameters,
      schema: {
        operationId: 'askCapture',
        summary:
          'The frames of a call with its media as pcapng; of a live source those that -O wrote, else its SIP, rebuilt',
        tags: ['ask'],
        params: SelectorParams,
        querystring: AskLegsQuery,
        response: {
          200: {
            description: 'The file.',
            headers: {
              'X-Service-Capture-Rebuilt': {
                type: 'string',
                description: '`true`: SIP rebuilt from kept messages, without RTP.',
              },
              'X-Service-Capture-Lacks': { type: 'string', description: 'What is missing; absent where nothing is.' },
            },
            content: {
              'application/vnd.tcpdump.pcap': { schema: Type.Unsafe<Readable>({ type: 'string', format: 'binary' }) },
            },
          },
          ...refusals('no-capture', ...OF_CALL),
        },
      },
    },
    async (request, reply) => {
      unread.checkRoom('file');
      const { selector } = request.params;
      const { calls, notes } = await readCalls(readers, signalOf(request), selector, request.query.legs);
      const capture = await heavily(signalOf(request), () => readers.capture(calls, signalOf(request)));
      log(`${whose(request)} fetched the capture of ${JSON.stringify(selector)}, ${capture.bytes} bytes`);
      reply
        .type('application/vnd.tcpdump.pcap')
        .header('content-length', capture.bytes)
        .header('content-disposition', `attachment; filename="${callIdFileName(calls[0] ?? '')}.pcapng"`)
        .header('x-service-capture-rebuilt', String(capture.isRebuilt));
      const lack = [...(capture.lack === '' ? [] : [capture.lack]), ...notes].join(', ');
      if (lack !== '') reply.header('x-service-capture-lacks', headerText(lack));
      return reply.send(unread.weigh(capture.file, capture.isRebuilt ? 'text' : 'file', capture.keeps));
    },
  );

  app.get(
    '/ask/calls/:selector/sipp',
    {
      validatorCompiler: compileParameters,
      schema: {
        operationId: 'askSipp',
        summary: 'A pair of SIPp scenarios that replay the call, without credentials and keys',
        tags: ['ask'],
        params: SelectorParams,
        response: { 200: answer('The scenarios.', AskSipp), ...refusals('no-scenario', ...OF_CALL) },
      },
    },
    async (request) => {
      unread.checkRoom('text');
      const { selector } = request.params;
      const callId = await readSelector(readers, selector);
      const pair = await heavily(signalOf(request), () => readers.sipp(callId, false, signalOf(request)));
      log(
        `${whose(request)} read scenarios of ${JSON.stringify(selector)}, ${pair.uac.length + pair.uas.length} bytes`,
      );
      const { uac, uas, notes } = pair;
      return { schema_version: 1 as const, uac, uas, notes: [...notes] };
    },
  );

  app.get(
    '/ask/calls/:selector/audio',
    {
      validatorCompiler: compileParameters,
      schema: {
        operationId: 'askAudio',
        summary: 'The audio of a call, or of a span of it, as WAV (needs --retain-audio)',
        tags: ['ask'],
        params: SelectorParams,
        querystring: AskAudioQuery,
        response: {
          200: {
            description: 'The file.',
            content: { 'audio/wav': { schema: Type.Unsafe<Buffer>({ type: 'string', format: 'binary' }) } },
          },
          ...refusals('no-audio', ...OF_CALL),
        },
      },
    },
    async (request, reply) => {
      unread.checkRoom('audio');
      const { selector } = request.params;
      const callId = await readSelector(readers, selector);
      const { from = 0, to = Number.POSITIVE_INFINITY } = request.query;
      if (to <= from) throw new ProblemError('invalid-parameter', 'to must be greater than from.');
      const audio = await heavily(signalOf(request), () =>
        readers.audio(callId, signalOf(request), { fromSec: from, toSec: to }),
      );
      log(`${whose(request)} heard ${JSON.stringify(selector)}, ${audio.wav.length} bytes`);
      reply.type('audio/wav').header('x-service-audio-partial', String(audio.isPartial));
      const wav = Buffer.from(audio.wav.buffer, audio.wav.byteOffset, audio.wav.length);
      return reply.send(unread.weigh(wav, 'audio', wav.length));
    },
  );
}
