/** Every scene, by kind of situation. */
import { ACKS } from './acks.ts';
import { ANNOUNCEMENT } from './announcement.ts';
import { AT_ANSWER } from './at-answer.ts';
import { ATTEMPTS } from './attempts.ts';
import { CONNECTIONS } from './connections.ts';
import { DECLINED } from './declined.ts';
import { ELSEWHERE } from './elsewhere.ts';
import { ENDED } from './ended.ts';
import { FAX_AND_VIDEO } from './fax-and-video.ts';
import { FORKS } from './forks.ts';
import { HOLD } from './hold.ts';
import { ICE } from './ice.ts';
import { IN_DIALOG } from './in-dialog.ts';
import { LATE } from './late.ts';
import { LOOPS } from './loops.ts';
import { MAILBOX } from './mailbox.ts';
import { MANY_PARTIES } from './many-parties.ts';
import { NAT } from './nat.ts';
import { ONE_SSRC } from './one-ssrc.ts';
import { ONE_WAY } from './one-way.ts';
import { PATHS } from './paths.ts';
import { PAYLOAD_TYPES } from './payload-types.ts';
import { PHONE_REPORTS } from './phone-reports.ts';
import { QUALITY_AND_ICMP } from './quality-and-icmp.ts';
import { REGISTER } from './register.ts';
import { REMOTE_REPORTS } from './remote-reports.ts';
import { RENEGOTIATED } from './renegotiated.ts';
import { RESPONSES } from './responses.ts';
import type { Scene } from './scene.ts';
import { SETUP } from './setup.ts';
import { SILENCE } from './silence.ts';
import { SILENT_AUDIO } from './silent-audio.ts';
import { SRTP } from './srtp.ts';
import { TAP } from './tap.ts';
import { TRANSFER } from './transfer.ts';
import { TWO_SENDERS } from './two-senders.ts';

export const SCENES: readonly Scene[] = [
  ...ACKS,
  ...ANNOUNCEMENT,
  ...AT_ANSWER,
  ...ATTEMPTS,
  ...DECLINED,
  ...CONNECTIONS,
  ...ELSEWHERE,
  ...ENDED,
  ...FAX_AND_VIDEO,
  ...FORKS,
  ...HOLD,
  ...ICE,
  ...LATE,
  ...LOOPS,
  ...IN_DIALOG,
  ...MAILBOX,
  ...MANY_PARTIES,
  ...NAT,
  ...ONE_SSRC,
  ...ONE_WAY,
  ...PATHS,
  ...PAYLOAD_TYPES,
  ...PHONE_REPORTS,
  ...QUALITY_AND_ICMP,
  ...REGISTER,
  ...REMOTE_REPORTS,
  ...RENEGOTIATED,
  ...RESPONSES,
  ...SETUP,
  ...SILENCE,
  ...SRTP,
  ...SILENT_AUDIO,
  ...TAP,
  ...TRANSFER,
  ...TWO_SENDERS,
];
