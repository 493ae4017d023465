/** GET /v1/dialogs/{call_id}/audio: the decoded audio of a call as a WAV file. */

import { Type } from 'typebox';
import { CallIdParams } from '../../../contract/index.ts';
import { callIdFileName } from '../../../core/file-name.ts';
import { compileParameters } from '../parameters.ts';
import type { App, LargeDeps } from './route.ts';
import { refusals, signalOf } from './route.ts';

export function addAudioRoute(app: App, { readers, unread }: LargeDeps): void {
  app.get(
    '/v1/dialogs/:call_id/audio',
    {
      validatorCompiler: compileParameters,
      schema: {
        operationId: 'getDialogAudio',
        summary: 'The audio of the call as WAV: mono for one direction, stereo for two (needs --retain-audio)',
        tags: ['dialogs'],
        params: CallIdParams,
        response: {
          200: {
            description: 'The file; a note in it says where it is from, and what it falls short of.',
            headers: {
              'X-Service-Audio-Partial': {
                type: 'string',
                description: '`true` when the file falls short of the call.',
              },
              'Content-Disposition': { type: 'string', description: 'Names the download after the Call-ID.' },
            },
            content: { 'audio/wav': { schema: Type.Unsafe<Buffer>({ type: 'string', format: 'binary' }) } },
          },
          ...refusals('not-found', 'uri-too-long', 'no-audio'),
        },
      },
    },
    async (request, reply) => {
      const { params } = request;
      unread.checkRoom('audio');
      const audio = await readers.audio(params.call_id, undefined, signalOf(request));
      reply
        .type('audio/wav')
        .header('content-disposition', `attachment; filename="${callIdFileName(params.call_id)}.wav"`)
        .header('x-service-audio-partial', String(audio.isPartial));
      const wav = Buffer.from(audio.wav.buffer, audio.wav.byteOffset, audio.wav.length);
      return reply.send(unread.weigh(wav, 'audio', wav.length));
    },
  );
}
