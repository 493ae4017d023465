/** A soft phone of Linphone without a sound card, driven by its command line. It publishes what it heard (RFC 6035). */
import { mkdirSync, writeFileSync } from 'node:fs';
import { wavFile } from '../../src/protocols/codec/wav.ts';
import { speak } from '../helpers/voice.ts';
import type { Host, Lab, Running } from './lab.ts';
import { ADDRESS } from './lab.ts';

const RATE = 48_000;
const SOUND_SEC = 20;

export class Linphone {
  readonly running: Running;

  private constructor(running: Running) {
    this.running = running;
  }

  /** It calls by the other host, and publishes to a port there that nobody listens on. */
  static async start(lab: Lab, host: Host, user: string, isAnswering: boolean): Promise<Linphone> {
    const folder = lab.path(user);
    mkdirSync(folder);
    const sound = `${folder}/sound.wav`;
    const samples = speak({ pitch: 120 }, RATE, RATE * SOUND_SEC);
    writeFileSync(sound, wavFile([samples], RATE, { software: 'test', comment: user }, []));
    const [own, other] = host === 'a' ? [ADDRESS.a.v4, ADDRESS.b.v4] : [ADDRESS.b.v4, ADDRESS.a.v4];
    // Without a route it names the loopback address in its SDP.
    lab.do(host, 'ip', ['route', 'replace', 'default', 'dev', 'eth0']);
    const config = {
      sip: {
        ...{ sip_port: 5060, sip_tcp_port: 0, sip_tls_port: 0, use_ipv6: 0, guess_hostname: 0, default_proxy: 0 },
        contact: `sip:${user}@${own}`,
      },
      rtp: {
        audio_rtp_port: host === 'a' ? 7078 : 7178,
        rtcp_enabled: 1,
        rtcp_xr_enabled: 1,
        rtcp_xr_voip_metrics_enabled: 1,
      },
      sound: { use_files: 1 },
      misc: { store_friends: 0 },
      storage: { uri: 'null' },
      proxy_0: {
        ...{ reg_proxy: `<sip:${other}:5060>`, reg_identity: `sip:${user}@${own}`, reg_sendregister: 0, publish: 0 },
        ...{ quality_reporting_enabled: 1, quality_reporting_collector: `sip:collector@${other}:5099` },
        quality_reporting_interval: 0,
      },
    };
    const text = Object.entries(config).map(
      ([section, values]) =>
        `[${section}]\n${Object.entries(values)
          .map((pair) => `${pair.join('=')}\n`)
          .join('')}`,
    );
    writeFileSync(`${folder}/rc`, text.join(''));
    const args = [`HOME=${folder}`, 'linphonec', '-c', `${folder}/rc`, ...(isAnswering ? ['-a'] : [])];
    const phone = new Linphone(lab.start(host, 'env', args, 'pipe'));
    await lab.said(phone.running, /linphonec>/);
    phone.say('soundcard use files');
    await lab.said(phone.running, /wav files instead of soundcard/);
    phone.say(`play ${sound}`);
    return phone;
  }

  say(command: string): void {
    this.running.child.stdin?.write(`${command}\n`);
  }
}
