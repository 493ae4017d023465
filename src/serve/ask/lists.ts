/** Lists of `/ask`: calls by filter, findings, registrations, streams, security and health. */

import {
  AskCallQuery,
  AskCalls,
  AskFindings,
  AskPulse,
  AskRegistrations,
  AskSecurity,
  AskSpanQuery,
  AskTrunks,
  AskTrunksQuery,
  DEFAULT_LIMIT,
  Stats,
  StreamList,
  StreamQuery,
} from '../../contract/index.ts';
import { toAskPulse } from '../../view/pulse.ts';
import { compileParameters } from '../api/parameters.ts';
import type { App } from '../api/routes/route.ts';
import { answer, refusals, signalOf } from '../api/routes/route.ts';
import { streamFilterOf } from '../api/routes/streams.ts';
import type { AskDeps } from './asking.ts';
import { readQuestion } from './asking.ts';

export function addListRoutes(app: App, { readers, maxRows }: AskDeps): void {
  app.get(
    '/ask/calls',
    {
      validatorCompiler: compileParameters,
      schema: {
        operationId: 'askCalls',
        summary: 'Calls that a filter chooses; an empty answer says what could hide the call',
        tags: ['ask'],
        querystring: AskCallQuery,
        response: { 200: answer('A page.', AskCalls), ...refusals('invalid-parameter') },
      },
    },
    async (request) => {
      const { limit, cursor, ...asked } = request.query;
      const most = Math.min(limit ?? DEFAULT_LIMIT, maxRows);
      return readers.page(readQuestion(asked), most, cursor ?? '', signalOf(request));
    },
  );
  app.get(
    '/ask/findings',
    {
      validatorCompiler: compileParameters,
      schema: {
        operationId: 'askFindings',
        summary: 'What is wrong with the calls of a filter, and their final failures by code',
        tags: ['ask'],
        querystring: AskSpanQuery,
        response: { 200: answer('The most frequent first.', AskFindings), ...refusals('invalid-parameter') },
      },
    },
    async (request) => readers.findings(readQuestion({ ...request.query, sort: 'created' }), signalOf(request)),
  );
  app.get(
    '/ask/registrations',
    {
      validatorCompiler: compileParameters,
      schema: {
        operationId: 'askRegistrations',
        summary: 'Who registers, from where, and who fails',
        tags: ['ask'],
        querystring: AskSpanQuery,
        response: { 200: answer('The newest first.', AskRegistrations), ...refusals('invalid-parameter') },
      },
    },
    async (request) => readers.registrations(readQuestion({ ...request.query, sort: 'created' }), signalOf(request)),
  );
  app.get(
    '/ask/trunks',
    {
      validatorCompiler: compileParameters,
      schema: {
        operationId: 'askTrunks',
        summary: 'Whether trunks are up, what their calls came to, and how they sounded',
        tags: ['ask'],
        querystring: AskTrunksQuery,
        response: { 200: answer('Those that are down first.', AskTrunks), ...refusals('invalid-parameter') },
      },
    },
    async (request) => readers.trunks(request.query, signalOf(request)),
  );
  app.get(
    '/ask/streams',
    {
      validatorCompiler: compileParameters,
      schema: {
        operationId: 'askStreams',
        summary: 'RTP streams, newest first',
        tags: ['ask'],
        querystring: StreamQuery,
        response: { 200: answer('A page.', StreamList), ...refusals('invalid-parameter') },
      },
    },
    async (request) => {
      return readers.streams(streamFilterOf(request.query, maxRows), signalOf(request));
    },
  );
  app.get(
    '/ask/health',
    {
      schema: {
        operationId: 'askHealth',
        summary: 'How much of the wire the answers are drawn from',
        tags: ['ask'],
        response: { 200: answer('The statistics.', Stats), ...refusals() },
      },
    },
    async () => readers.stats(),
  );
  app.get(
    '/ask/pulse',
    {
      schema: {
        operationId: 'askPulse',
        summary: 'How the capture does, in a few figures that cost nothing',
        tags: ['ask'],
        response: { 200: answer('The figures.', AskPulse), ...refusals() },
      },
    },
    async () => toAskPulse(await readers.pulse()),
  );
  app.get(
    '/ask/security',
    {
      schema: {
        operationId: 'askSecurity',
        summary: 'Attackers that the detection reported, the newest first',
        tags: ['ask'],
        response: {
          200: answer('The alerts; none where no option asks for the detection.', AskSecurity),
          ...refusals(),
        },
      },
    },
    async () => readers.security(),
  );
}
