/** Parameters of `/ask`: filter, order, page, legs, layout and span. */

import type { Static } from 'typebox';
import { Type } from 'typebox';
import { SORT_KEYS } from '../core/call-fields.ts';
import { named } from './schema.ts';

export const AskCallQuery = named(
  'AskCallQuery',
  Type.Object({
    q: Type.Optional(Type.String({ maxLength: 4096, description: 'A filter; `calltap --help filter` explains it.' })),
    sort: Type.Optional(
      Type.Enum(
        SORT_KEYS.flatMap((key) => [key, `-${key}`] as const),
        { default: '-created' },
      ),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 9_007_199_254_740_991, default: 50 })),
    cursor: Type.Optional(Type.String({ maxLength: 200, description: '`next_cursor` of the page before.' })),
  }),
);
export type AskCallQuery = Static<typeof AskCallQuery>;

export const AskSpanQuery = named('AskSpanQuery', Type.Object({ q: AskCallQuery.properties.q }));

export const SelectorParams = named(
  'SelectorParams',
  Type.Object({
    selector: Type.String({ description: 'A Call-ID, percent-encoded; `id:` before it, or `ssrc:0x…`.' }),
  }),
);

export const AskLegsQuery = named(
  'AskLegsQuery',
  Type.Object({ legs: Type.Optional(Type.Boolean({ description: 'With the other legs of the call.' })) }),
);

export const AskCaptureQuery = named(
  'AskCaptureQuery',
  Type.Object({
    ...AskLegsQuery.properties,
    anonymize: Type.Optional(
      Type.Boolean({ description: 'Replace who and where, as --anonymize does: for somebody else.' }),
    ),
  }),
);

export const AskReportQuery = named(
  'AskReportQuery',
  Type.Object({
    legs: Type.Optional(Type.Boolean()),
    layout: Type.Optional(Type.Enum(['text', 'markdown', 'ladder'], { default: 'text' })),
  }),
);

export const AskCompareQuery = named(
  'AskCompareQuery',
  Type.Object({ with: Type.String({ maxLength: 12_288, description: 'The other call, by its selector.' }) }),
);

export const AskAudioQuery = named(
  'AskAudioQuery',
  Type.Object({
    from: Type.Optional(Type.Number({ minimum: 0, description: 'Seconds after the first packet.' })),
    to: Type.Optional(Type.Number({ minimum: 0 })),
  }),
);
