/** Every scene, by kind of situation. */
import { ATTEMPTS } from './attempts.ts';
import { FAX_AND_VIDEO } from './fax-and-video.ts';
import { HOLD } from './hold.ts';
import { ONE_WAY } from './one-way.ts';
import { PATHS } from './paths.ts';
import { RENEGOTIATED } from './renegotiated.ts';
import type { Scene } from './scene.ts';
import { SETUP } from './setup.ts';
import { SILENCE } from './silence.ts';
import { TRANSFER } from './transfer.ts';

export const SCENES: readonly Scene[] = [
  ...ATTEMPTS,
  ...FAX_AND_VIDEO,
  ...HOLD,
  ...ONE_WAY,
  ...PATHS,
  ...RENEGOTIATED,
  ...SETUP,
  ...SILENCE,
  ...TRANSFER,
];
