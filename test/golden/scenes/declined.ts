/** Answers that take no media of an offer, and those that take another part of it. */
import { ANSWERED, ends, faulty, healthy, type Scene, talk } from './scene.ts';

/** Answered at 2 s. */
function answered(offer: string, answer: string, more = ''): string {
  return `0 A>B INVITE sdp ${offer}\n0.02 B>A 100\n0.2 B>A 180\n2 B>A 200 sdp ${answer}\n2.03 A>B ACK\n${more}`;
}

export const DECLINED: readonly Scene[] = [
  faulty('audio-declined', 'media-declined', 'port 0, and nobody sends', answered('', 'off', ends(10))),
  faulty(
    'audio-declined-caller-sends',
    'media-declined',
    'the caller sends all the same',
    answered('', 'off', `2.1-10 A>B rtp\n${ends(10)}`),
  ),
  faulty(
    'audio-declined-callee-sends',
    'media-declined',
    'the callee sends all the same',
    answered('', 'off', `2.1-10 B>A rtp\n${ends(10)}`),
  ),
  faulty('audio-and-video-declined', 'media-declined', 'both lines', answered('video', 'off video=off', ends(10))),
  faulty(
    'both-audio-lines-declined',
    'media-declined',
    'two lines of audio',
    answered('second', 'off second=off', ends(10)),
  ),
  faulty('srtp-declined', 'media-declined', 'the callee takes no encryption', answered('srtp', 'off', ends(10, 'B>A'))),
  faulty(
    'declined-behind-a-proxy',
    'media-declined',
    'the proxy passes it on',
    `0 A>P INVITE sdp\n0.01 P>B INVITE\n0.2 B>P 180\n0.21 P>A 180\n2 B>P 200 sdp off\n2.01 P>A 200\n2.03 A>B ACK\n${ends(10)}`,
  ),
  faulty(
    'declined-with-the-video',
    'media-declined',
    'the callee takes no video, and ends the audio with it',
    `${ANSWERED}\n${talk(2.3, 10)}\n10 A>B INVITE sdp video\n10.1 B>A 200 sdp off video=off\n10.13 A>B ACK\n${ends(20)}`,
  ),
  faulty(
    'declined-fax-later',
    'media-declined',
    'the caller takes no fax, and the audio is gone',
    `${ANSWERED}\n${talk(2.3, 10)}\n10 B>A INVITE sdp t38\n10.1 A>B 200 sdp off\n10.13 B>A ACK\n${ends(20)}`,
  ),
  healthy(
    'declined-later-and-brought-back',
    'the audio comes back by a second re-INVITE',
    `${ANSWERED}\n${talk(2.3, 10)}\n10 A>B INVITE sdp video\n10.1 B>A 200 sdp off video=off\n10.13 A>B ACK
    11 A>B INVITE sdp\n11.1 B>A 200 sdp\n11.13 A>B ACK\n${talk(11.2, 20)}\n${ends(20)}`,
  ),
  healthy('fax-accepted', 'audio ends, T.38 begins', answered('', 't38', ends(10))),
  healthy(
    'second-audio-declined',
    'one of two lines of audio',
    answered('second', 'second=off', `${talk(2.1, 10)}\n${ends(10)}`),
  ),
  healthy(
    'video-declined-in-the-answer',
    'the audio is accepted',
    answered('video', 'video=off', `${talk(2.1, 10)}\n${ends(10)}`),
  ),
  healthy(
    'audio-removed-later',
    'a re-INVITE takes the audio away',
    `${ANSWERED}\n${talk(2.3, 10)}\n10 A>B INVITE sdp off\n10.1 B>A 200 sdp off\n10.13 A>B ACK\n${ends(20)}`,
  ),
  healthy(
    'held-at-once',
    'c=0.0.0.0 is a hold',
    answered('', 'nowhere', `5 B>A INVITE sdp\n5.1 A>B 200 sdp\n5.13 B>A ACK\n${talk(5.2, 15)}\n${ends(15)}`),
    'hint:late',
  ),
  healthy('offer-without-audio', 'the offer itself has port 0', answered('off', 'off', ends(10))),
  healthy('bundle-only-audio', 'port 0 that refuses nothing', answered('bundle-only', 'off bundle-only', ends(10))),
  healthy(
    'declined-and-offered-again',
    'the callee declines until its media is ready',
    answered('', 'off', `3 B>A INVITE sdp\n3.1 A>B 200 sdp\n3.13 B>A ACK\n${talk(3.2, 15)}\n${ends(15)}`),
    'hint:late',
  ),
  healthy(
    'declined-and-the-capture-ends',
    'it ends before the callee offers again',
    answered('', 'off', `tap 0-2.9\n3 B>A INVITE sdp\n3.1 A>B 200 sdp\n3.13 B>A ACK\n${talk(3.2, 15)}\n${ends(15)}`),
  ),
];
