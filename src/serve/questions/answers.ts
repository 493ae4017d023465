/** Answers to questions by their kind: what OpenAPI says of each, and how it is sent. */
import type { FastifyReply } from 'fastify';
import type { TSchema } from 'typebox';
import { Type } from 'typebox';
import { callIdFileName } from '../../core/file-name.ts';
import type { CallCapture } from '../../explore/captures.ts';
import type { Questions } from '../../explore/port.ts';
import type { AnyQuestion } from '../../explore/question-row.ts';
import { answer } from '../api/routes/route.ts';
import type { UnreadAnswers } from '../http/unread.ts';
import type { Answered } from './asking.ts';
import { documentOf, linesOf } from './asking.ts';

const text = (description: string) => ({ description, content: { 'text/plain': { schema: Type.String() } } });

const file = (mediaType: string, headers?: object) => ({
  description: 'The file.',
  ...(headers === undefined ? {} : { headers }),
  content: { [mediaType]: { schema: Type.Unsafe<unknown>({ type: 'string', format: 'binary' }) } },
});

const CAPTURE_HEADERS = {
  'X-Service-Capture-Rebuilt': { type: 'string', description: '`true`: SIP rebuilt from kept messages, without RTP.' },
  'X-Service-Capture-Lacks': { type: 'string', description: 'What is missing; absent where nothing is.' },
  'X-Service-Capture-Anonymized': {
    type: 'string',
    description: 'With anonymize: how much was replaced, kept and left out, without the originals.',
  },
};

/** The documented answer of 200; `about` says more of it than the row. */
export function documented(of: AnyQuestion['answer'], about?: string): object {
  switch (of.kind) {
    case 'document':
      return answer<TSchema>(about ?? of.about, of.schema);
    case 'lines':
      return text(of.about);
    case 'page':
      return file('text/html');
    case 'capture':
      return file('application/vnd.tcpdump.pcap', CAPTURE_HEADERS);
    case 'audio':
      return file('audio/wav');
    case 'container':
      return file('application/json');
    case 'events':
      return { description: 'The stream.', content: { 'text/event-stream': { schema: { type: 'string' } } } };
  }
}

/** Sends what was found. */
export function send(answered: Answered, reply: FastifyReply, unread: UnreadAnswers): unknown {
  const { answer: of } = answered.row;
  switch (of.kind) {
    case 'document':
      return documentOf(answered);
    case 'lines':
      reply.type(`text/${of.isMarkdown(answered.asked) ? 'markdown' : 'plain'}; charset=utf-8`);
      return reply.send(`${linesOf(answered).join('\n')}\n`);
    case 'page':
      return sendPage(answered, reply);
    case 'capture':
      return sendCapture(answered, reply, unread);
    case 'audio':
      return sendAudio(answered, reply, unread);
    case 'container':
    case 'events':
      throw new Error(`/ask sends no ${of.kind}`);
  }
}

/** For who opens it here in spite of its disposition: its style alone; the page says so of itself too. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox";

/** The name of a file that says nobody's. */
const ANONYMIZED = 'anonymized';

/** To be saved, never to be shown in the name of this service. */
function sendPage({ asked, found }: Answered, reply: FastifyReply): unknown {
  const [[callId = ''], { isAnonymized = false }] = asked as Parameters<Questions['html']>;
  return reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', PAGE_POLICY)
    .header('content-disposition', `attachment; filename="${isAnonymized ? ANONYMIZED : callIdFileName(callId)}.html"`)
    .send(found);
}

/** What a header field may hold. @cap */
const HEADER_CHARS = 1_000;

const headerText = (words: string): string => words.replace(/[^ -~]/g, '?').slice(0, HEADER_CHARS);

function sendCapture({ asked, notes, found }: Answered, reply: FastifyReply, unread: UnreadAnswers): unknown {
  const [[callId = ''], isAnonymized = false] = asked as Parameters<Questions['capture']>;
  const name = isAnonymized ? ANONYMIZED : callIdFileName(callId);
  const capture = found as CallCapture;
  reply
    .type('application/vnd.tcpdump.pcap')
    .header('content-length', capture.bytes)
    .header('content-disposition', `attachment; filename="${name}.pcapng"`)
    .header('x-service-capture-rebuilt', String(capture.isRebuilt));
  const lack = [...(capture.lack === '' ? [] : [capture.lack]), ...notes].join(', ');
  if (lack !== '') reply.header('x-service-capture-lacks', headerText(lack));
  if (capture.report !== undefined) reply.header('x-service-capture-anonymized', headerText(capture.report.join('; ')));
  return reply.send(unread.weigh(capture.file, capture.isRebuilt ? 'text' : 'file', capture.keeps));
}

function sendAudio({ found }: Answered, reply: FastifyReply, unread: UnreadAnswers): unknown {
  const audio = found as Awaited<ReturnType<Questions['audio']>>;
  reply.type('audio/wav').header('x-service-audio-partial', String(audio.isPartial));
  const wav = Buffer.from(audio.wav.buffer, audio.wav.byteOffset, audio.wav.length);
  return reply.send(unread.weigh(wav, 'audio', wav.length));
}
