/* SPDX-License-Identifier: Apache-2.0
 * rtp_report.h - what the stream table is told, and what it tells: events, windows, segments and counters.
 *
 * Windows and segments are mirrored by src/protocols/rtp/stream-layout.ts.
 */
#ifndef CALLTAP_RTP_REPORT_H
#define CALLTAP_RTP_REPORT_H
#include <stdint.h>

#define CT_RTP_CHUNK 4096u /* streams whose memory is taken at a time */

struct ct_rtp_opts {
  uint32_t max_streams; /* cap, candidates included; rtp_admit.h says what happens beyond it */
  uint64_t seed[2];     /* random a process: the hash is keyed against chosen SSRCs and ports */
  uint64_t window_ns;   /* quality window, default 5 s */
  uint32_t buffer_ms;   /* jitter buffer that defines a discard, default 60 */
};

#define CT_RTP_LANES 5 /* clocks of jitter and lateness: 8000, 16000, 48000, 90000 Hz, other_clock */
/* One window. A packet that comes late makes up for a loss of a window before: `expected`, `lost` and `loss_runs` may be less
 * than 0, in two's complement, and the sum of several is that of all. Without packets an outage: `loss_runs` windows in a row from start_us on, in each of which all was lost, and
 * which share `expected` by the time at which each was due: `jitter_ms` begins with two doubles, how long after start_us the
 * first was and how long after it each next one, in ns. */
struct ct_rtp_window {
  double start_us;                  /*  0 since the epoch */
  double length_us;                 /*  8 nominal length, of one */
  uint32_t packets;                 /* 16 */
  uint32_t expected;                /* 20 */
  uint32_t lost;                    /* 24 */
  uint32_t duplicates;              /* 28 */
  uint32_t reordered;               /* 32 */
  uint16_t discarded[CT_RTP_LANES]; /* 36 too late for the buffer, by lane */
  uint16_t amid;                    /* 46 1: its first run of losses began in the window before */
  uint32_t loss_runs;               /* 48 */
  float jitter_ms[CT_RTP_LANES];    /* 52 mean over the window's samples, by lane */
  uint32_t jitter_n;                /* 72 */
  uint32_t other_clock;             /* 76 */
  uint32_t clock;                   /* 80 dynamic clock in use, 0 unknown */
  uint8_t pt;                       /* 84 last audio payload type, CT_RTP_NO_PT none */
  uint8_t lane_mode;                /* 85 */
  uint16_t ts_step;                 /* 86 packet time, 0 unknown */
};                                  /* 88 */

/* What a stream has counted, from its beginning on. */
struct ct_rtp_mark {
  uint32_t packets, expected, unique, duplicates, reordered, loss_runs, jitter_n; /* 0 4 8 12 16 20 24 */
  uint32_t discarded[CT_RTP_LANES];                                               /* 28 */
};                                                                                /* 48 */
/* Where a segment ended and the next began: another type carries the media from here on. */
struct ct_rtp_segment {
  double start_us;               /*  0 of the next; since the epoch */
  double end_us;                 /*  8 of the one that ended: its last packet */
  struct ct_rtp_mark mark;       /* 16 the stream's counters between the two */
  float jitter_ms[CT_RTP_LANES]; /* 64 mean over the samples of the one that ended, by lane */
  uint32_t other_clock;          /* 84 */
  uint32_t clock;                /* 88 dynamic clock in use, 0 unknown */
  uint8_t pt;                    /* 92 of the one that ended */
  uint8_t lane_mode;             /* 93 */
  uint16_t ts_step;              /* 94 packet time, 0 unknown */
};                               /* 96 */
/* What a packet closed: up to the end of a window and of an outage behind it, or the rest of a window, and a segment. */
struct ct_rtp_closed {
  uint32_t windows;
  struct ct_rtp_window window[3];
  struct ct_rtp_segment segment;
};

/* KEY: the packet is a telephone-event; told of the first CT_RTP_KEYS of a stream, some 100 key presses. */
#define CT_RTP_KEYS 1024u
enum ct_rtp_event_type {
  CT_RTP_OPENED = 1,
  CT_RTP_ACCEPTED,
  CT_RTP_WINDOW,
  CT_RTP_EVICTED,
  CT_RTP_KEY,
  CT_RTP_SEGMENT
};
struct ct_rtp_event {
  uint8_t type;
  uint32_t index, generation;
};
#define CT_RTP_NO_STREAM UINT32_MAX
struct ct_rtp_events {
  uint32_t index, generation; /* the packet's own stream; CT_RTP_NO_STREAM: it has none */
  uint32_t n;
  struct ct_rtp_event ev[6];   /* in order: EVICTED before OPENED; WINDOW before what follows it */
  struct ct_rtp_closed closed; /* of each WINDOW event, in their order, and of SEGMENT */
};

/* Counters, monotonic. EVICTED: accepted, or claimed. REFUSED: streams that found the table full, each counted once as long
 * as it is remembered; PACKETS_REFUSED: those of them that are in no stream. */
enum ct_rtp_counter {
  CT_RC_OPENED,
  CT_RC_ACCEPTED,
  CT_RC_EVICTED,
  CT_RC_PROBING_RECYCLED,
  CT_RC_PACKETS,
  CT_RC_MALFORMED,
  CT_RC_REFUSED,
  CT_RC_PACKETS_REFUSED,
  CT_RC_COUNT
};

#endif
