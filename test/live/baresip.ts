/** Phones without a sound card: baresip that plays a file into its calls, dials or answers, and hangs up by its own clock. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { wavFile } from '../../src/protocols/codec/wav.ts';
import type { Host, Lab, Running } from './lab.ts';
import { ADDRESS } from './lab.ts';

/** A codec as baresip names it, and the rate it takes its samples at. */
export type PhoneCodec = { readonly name: string; readonly rate: number };

export type Phone = {
  readonly host: Host;
  readonly user: string;
  /** Of its signaling; media is above `rtpPort`. */
  readonly port: number;
  readonly rtpPort: number;
  readonly codec: PhoneCodec;
  /** What it plays, at the codec's rate: no filter of its own is then between the file and the encoder. */
  readonly sound: Int16Array;
  /** Ends the program, and with it the call, after so many seconds. */
  readonly seconds: number;
  /** Whom to call at once; answers calls when absent. */
  readonly dial?: string;
  /** Says in its BYE what it heard. */
  readonly reports?: boolean;
};

const MODULES = ['/usr/lib/baresip/modules', '/usr/lib/x86_64-linux-gnu/baresip/modules'];

/** Where baresip has its modules. */
export function baresipModules(): string {
  return MODULES.find((path) => existsSync(path)) ?? '';
}

export function startPhone(lab: Lab, phone: Phone): Running {
  const { host, user, port, rtpPort, codec } = phone;
  const folder = lab.path(`${user}-${port}`);
  mkdirSync(folder);
  const sound = `${folder}/sound.wav`;
  writeFileSync(sound, wavFile([phone.sound], codec.rate, { software: 'test', comment: user }, []));
  const address = ADDRESS[host].v4;
  const config = [
    `sip_listen ${address}:${port}`,
    'net_interface eth0',
    `audio_source aufile,${sound}`,
    'audio_player aubridge,nowhere',
    'audio_alert aubridge,alert',
    `ausrc_srate ${codec.rate}`,
    `auplay_srate ${codec.rate}`,
    'ausrc_channels 1',
    'auplay_channels 1',
    `rtp_ports ${rtpPort}-${rtpPort + 20}`,
    `rtp_stats ${phone.reports === true ? 'yes' : 'no'}`,
    `module_path ${baresipModules()}`,
    ...['g711', 'g722', 'opus', 'aufile', 'aubridge'].map((name) => `module ${name}.so`),
    ...['account', 'menu'].map((name) => `module_app ${name}.so`),
  ];
  writeFileSync(`${folder}/config`, `${config.join('\n')}\n`);
  const mode = phone.dial === undefined ? ';answermode=auto' : '';
  writeFileSync(`${folder}/accounts`, `<sip:${user}@${address}:${port}>;regint=0;audio_codecs=${codec.name}${mode}\n`);
  writeFileSync(`${folder}/contacts`, '');
  const dial = phone.dial === undefined ? [] : ['-e', `/dial ${phone.dial}`];
  return lab.start(host, 'baresip', ['-4', '-f', folder, '-t', String(phone.seconds), '-v', ...dial]);
}
