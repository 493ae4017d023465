/* SPDX-License-Identifier: Apache-2.0
 * rtp_stream.h - one RTP stream as the table keeps it.
 *
 * Mirrored by src/protocols/rtp/stream-layout.ts; test/native/rtp-layout.test.ts compares the two.
 * One thread writes; another reads at any time. Every field is naturally aligned, so a reader sees
 * each value whole; `generation` and `window_seq` tell it when several values do not belong together.
 *
 * Lanes: the clock of a dynamic payload type is only known from SDP, which TypeScript reads
 * later. Until then jitter and lateness of such a packet are computed for each clock it may have, one
 * lane a hypothesis; who reads takes the lane of the clock that is known by then. A packet of a static
 * payload type uses its RFC 3551 clock in every lane, so a stream of static types only needs lane 0
 * (lane_mode CT_LANES_ONE).
 */
#ifndef CALLTAP_RTP_STREAM_H
#define CALLTAP_RTP_STREAM_H
#include "decode/packet.h"
#include "rtp/rtp_report.h"

#define CT_RTP_PTS 8            /* payload types counted apart */
#define CT_RTP_NO_PT 255        /* no payload type seen yet */
#define CT_RTP_GMIN 16          /* RFC 3611 s4.7.2 */
#define CT_RTP_WINDOW_BITS 128  /* sequence numbers within which a late packet un-counts its loss */
#define CT_RTP_MAX_DROPOUT 3000 /* RFC 3550 A.1 */
#define CT_RTP_G729 18          /* payload type */
#define CT_RTP_G729_NOISE 2     /* octets of its comfort noise frame */

enum ct_stream_state { CT_STREAM_FREE = 0, CT_STREAM_PROBING = 1, CT_STREAM_ACCEPTED = 2 };
enum ct_stream_flag {
  CT_SF_TIMED = 1,   /* an audio packet set last_ts and last_audio_ns */
  CT_SF_RETIRED = 2, /* a later stream took the key: history, gets no more packets */
  CT_SF_HINTED = 4,  /* clock came from TypeScript, not from inference */
  CT_SF_BEHIND = 8,  /* the packet before this one lay behind the highest sequence number */
  CT_SF_PROVEN = 16, /* arrivals moved with the timestamps, before the sender began anew */
  CT_SF_AMID = 32,   /* of the open window: ct_rtp_window.amid */
  CT_SF_JUMPED = 64, /* bad_seq would confirm a jump */
};
enum ct_lane_mode { CT_LANES_ONE = 0, CT_LANES_ALL = 1 };
/* What all packets but key presses had as payload. SILENT: one octet, again and again, but for its sign. STEPS: each packet
 * one octet, and not all the same. HEARD: a packet had more than one. UNKNOWN: none had, and of one too little was captured. */
enum ct_sound {
  CT_SOUND_NONE = 0,
  CT_SOUND_SILENT = 1,
  CT_SOUND_STEPS = 2,
  CT_SOUND_HEARD = 3,
  CT_SOUND_UNKNOWN = 4
};

struct ct_stream {
  /* lines 0 and 1: all that the next packet of a stream reads and writes when nothing about it is unusual (rtp_plain.h) */
  uint32_t src4, dst4;   /*   0   4 network order: IPv4, or the first bytes of IPv6 */
  uint32_t ssrc;         /*   8 */
  uint16_t dport, sport; /*  12  14 */
  int64_t last_ns;       /*  16 newest packet */
  int64_t window_end_ns; /*  24 */
  uint64_t packets;      /*  32 all packets, duplicates included */
  uint64_t octets;       /*  40 RTP payload bytes on the wire */
  uint64_t window_lo;    /*  48 bit i: sequence ext_max - i was received (or lies before the start) */
  uint64_t window_hi;    /*  56 bits 64..127 */
  int64_t step_ns;       /*  64 where plain is set: what a step of ts_step lasts in lane 0 */
  int64_t late_ns;       /*  72 lane 0: delay of the last audio packet beyond the playout reference */
  uint32_t ext_max;      /*  80 highest extended sequence number; starts at 65536 + seq */
  uint32_t unique;       /*  84 packets received, each sequence number once */
  uint32_t jitter_n;     /*  88 samples of the whole stream */
  uint32_t pt0_count;    /*  92 packets of payload type pt[0] */
  uint32_t last_ts;      /*  96 RTP timestamp of the last audio packet */
  float jitter0;         /* 100 lane 0 in ms: running, RFC 3550 A.8 */
  float jitter0_wsum;    /* 104 its sum over the open window's samples */
  float step_ms;         /* 108 where plain is set: step_ns as lane 0 measures it */
  uint32_t max_delta_us; /* 112 longest time between two consecutive packets, an hour at most */
  uint16_t ts_step;      /* 116 timestamp step between neighbours, once seen twice running: packet time */
  uint8_t plain;         /* 118 payload type whose packets go the short way, and 1; 0 none */
  uint8_t dscp_last;     /* 119 */
  uint32_t base_ext;     /* 120 first of the current run */
  uint16_t
      bad_seq; /* 124 what follows the last stray, or the run before a jump; with CT_SF_JUMPED it confirms one */
  uint8_t sound; /* 126 enum ct_sound */
  uint8_t octet; /* 127 of the newest packet that was nothing but this octet */
  /* line 2: what the packets of a candidate need besides */
  int64_t last_audio_ns;   /* 128 where plain is set: last_ns is it, and this is old */
  uint32_t generation;     /* 136 counts the uses of this struct; 0 never used */
  uint32_t markers;        /* 140 */
  uint32_t first_audio_ts; /* 144 */
  uint32_t hash_tag;       /* 148 in the free list: index + 1 of the next */
  uint32_t expected_prev;  /* 152 expected of the runs before the last resync */
  uint32_t self;           /* 156 index + 1 */
  uint16_t ts_step_seen;   /* 160 candidate for ts_step */
  uint16_t resyncs;        /* 162 jumps that two sequential packets confirmed, 65,535 at most */
  uint8_t ts_step_run;     /* 164 how often ts_step_seen came in a row, up to what a longer step needs */
  uint8_t last_pt;         /* 165 */
  uint8_t audio_pt;        /* 166 last payload type that fed the jitter */
  uint8_t main_pt;         /* 167 payload type of the segment: neither event nor CN */
  uint8_t late_run;        /* 168 lane 0: packets in a row that missed the buffer */
  uint8_t event_mask;      /* 169 bit i: pt[i] is a telephone-event */
  uint8_t dscp_first;      /* 170 */
  uint8_t probe_hist;      /* 171 last four steps while probing, 1 good */
  uint8_t lane_mode;       /* 172 enum ct_lane_mode */
  uint8_t origin;          /* 173 enum ct_origin */
  uint8_t ip_version;      /* 174 4 or 6 */
  uint8_t state;           /* 175 enum ct_stream_state */
  uint8_t flags;           /* 176 enum ct_stream_flag */
  uint8_t claimed;         /* 177 written by TypeScript: an SDP vouches for it */
  uint16_t
      w_discarded[CT_RTP_LANES]; /* 178 low half of what was discarded, by lane, when the open window began */
  uint32_t cn_packets;           /* 188 */
  /* line 3: lanes 1..4, written only when a clock is unknown */
  float jitter[CT_RTP_LANES - 1];      /* 192 */
  float jitter_wsum[CT_RTP_LANES - 1]; /* 208 */
  float late_ms[CT_RTP_LANES - 1];     /* 224 as late_ns */
  float other_ms_per_tick;             /* 240 of lane 4, 0 not in use */
  float ns_per_tick;                   /* 244 of the dynamic payload type's clock, 0 unknown */
  uint32_t clock;                      /* 248 clock of the dynamic payload type in use, 0 unknown */
  uint32_t clock_hint;                 /* 252 written by TypeScript: the SDP's clock, 0 none */
  /* line 4: what opening a stream writes besides */
  uint8_t src[16], dst[16]; /* 256 272 network order, IPv4 in the first 4 */
  int64_t first_ns;         /* 288 */
  int64_t first_audio_ns;   /* 296 */
  int64_t window_start_ns;  /* 304 */
  uint8_t pt[CT_RTP_PTS];   /* 312 payload types; pt[0] is that of the short way */
  /* line 5: lateness in lanes 1..4, and what closing a window reads and writes */
  uint32_t discarded_in[CT_RTP_LANES - 1]; /* 320 as discarded */
  uint8_t late_runs[CT_RTP_LANES - 1];     /* 336 as late_run */
  uint32_t w_packets;                      /* 340 the counters as they stood when the open window began */
  uint32_t w_expected;                     /* 344 */
  uint32_t w_unique;                       /* 348 */
  uint32_t w_duplicates;                   /* 352 */
  uint32_t w_reordered;                    /* 356 */
  uint32_t w_loss_runs;                    /* 360 */
  uint32_t w_jitter_n;                     /* 364 */
  uint32_t window_seq;                     /* 368 windows closed */
  uint32_t duplicates;                     /* 372 */
  uint32_t reordered;                      /* 376 arrived late and un-counted their loss */
  uint32_t discarded;                      /* 380 lane 0: received, but later than the buffer allows */
  /* lines 6 and 7: rare */
  double jitter_sum[CT_RTP_LANES];   /* 384 over the samples of the segment's closed windows */
  uint32_t loss_runs;                /* 424 runs of lost packets, as known now */
  uint32_t other_clock;              /* 428 clock of lane 4, 0 none */
  uint32_t other_skip;               /* 432 samples before lane 4 began */
  uint32_t strays;                   /* 436 belong to no sequence: unconfirmed jumps, far too late */
  uint32_t change;                   /* 440 its place in ct_changes (rtp_change.h) */
  uint32_t jitter_base;              /* 444 samples before the segment */
  uint32_t pt_count[CT_RTP_PTS - 1]; /* 448 packets of pt[1..7] */
  uint32_t burst_count;              /* 476 RFC 3611 bursts among sequences that left the window */
  uint32_t burst_packets;            /* 480 expected inside them */
  uint32_t burst_lost;               /* 484 */
  uint32_t gap_lost;                 /* 488 isolated losses */
  uint32_t cluster_first;            /* 492 open cluster of losses: first and last lost sequence */
  uint32_t cluster_last;             /* 496 */
  uint32_t cluster_lost;             /* 500 0: none open */
  uint32_t event_packets;            /* 504 */
  uint16_t pauses; /* 508 silences the sender made, 65,535 at most: the sequence continued after them */
  uint16_t
      others; /* 510 packets of a second source, 65,535 at most: strays one after the other, of another time */
};            /* 512 */

#ifndef __cplusplus
_Static_assert(sizeof(struct ct_stream) == 512, "stream layout");
_Static_assert(sizeof(struct ct_rtp_window) == 88, "window layout");
_Static_assert(sizeof(struct ct_rtp_segment) == 96, "segment layout");
#endif

/* Longer ones are told as an hour. */
static inline uint32_t ct_delta_us(int64_t ns) {
  return ns < INT64_C(3600000000000) ? (uint32_t)(ns / 1000) : UINT32_C(3600000000);
}

/* ---- rtp_header.c: the fixed header and the static clocks ---- */
struct ct_rtp_header {
  uint32_t ssrc, ts;
  uint32_t octets; /* payload bytes on the wire: header, CSRC, extension and padding excluded */
  uint32_t known;  /* of these the ones captured, from `payload` on; 0 where nobody knows where they end */
  const uint8_t *payload;
  uint16_t seq;
  uint8_t pt;
  bool marker;
};
bool ct_rtp_parse(const struct ct_packet *p, struct ct_rtp_header *h);
/* RFC 3551 clock by payload type; all 0 when the type is dynamic or unassigned. */
struct ct_static_clock {
  uint32_t hz;
  float ms_per_tick, ns_per_tick;
};
extern const struct ct_static_clock ct_static_clocks[128];
/* Of the clock of this payload type in the stream; 0 unknown. */
static inline float ct_ns_per_tick(const struct ct_stream *s, uint8_t pt) {
  const struct ct_static_clock *fixed = &ct_static_clocks[pt & 127];
  return fixed->hz != 0 ? fixed->ns_per_tick : s->ns_per_tick;
}

/* ---- rtp_sequence.c: what a sequence number means (RFC 3550 A.1, A.3; RFC 3611 s4.7.2) ---- */
enum ct_seq_verdict { CT_SEQ_FORWARD, CT_SEQ_LATE, CT_SEQ_DUPLICATE, CT_SEQ_STRAY, CT_SEQ_RESYNC };
void ct_sequence_start(struct ct_stream *s, uint16_t seq);
static inline bool ct_confirms_jump(const struct ct_stream *s, uint16_t seq) {
  return (s->flags & CT_SF_JUMPED) && s->bad_seq == seq;
}
/* What times and timestamps say of a step: all in between was lost, however much; or the packet is of another sequence. */
enum ct_leap { CT_LEAP_NONE, CT_LEAP_OUTAGE, CT_LEAP_JUMP };
enum ct_seq_verdict ct_sequence_update(struct ct_stream *s, uint16_t seq, enum ct_leap leap);
static inline uint32_t ct_stream_expected(const struct ct_stream *s) {
  return s->expected_prev + (s->ext_max - s->base_ext) + 1;
}

/* ---- rtp_jitter.c: jitter lanes, clock inference, the fixed buffer ---- */
/* `neighbour`: the packet follows the one before it in sequence. */
void ct_jitter_update(struct ct_stream *s, const struct ct_rtp_header *h, int64_t now, int64_t buffer_ns,
                      bool neighbour);

/* ---- rtp_window.c: the quality windows ---- */
enum ct_update_bit {
  CT_UPDATE_ACCEPTED = 1,
  CT_UPDATE_WINDOW = 2,
  CT_UPDATE_KEY = 4,
  CT_UPDATE_OUTAGE = 8,
  CT_UPDATE_CUT = 16,
  CT_UPDATE_SEGMENT = 32
};
/* The open window as a record; false when it holds no packet. */
bool ct_stream_window(const struct ct_stream *s, const struct ct_rtp_opts *o, struct ct_rtp_window *w);
/* The packet that is taken next, at `now`, lies behind the open window, and `missing` packets are missing in front of it:
 * closes the window, CT_UPDATE_WINDOW, and those of the outage behind it, CT_UPDATE_OUTAGE, which is the second. */
unsigned ct_stream_roll(struct ct_stream *s, const struct ct_rtp_opts *o, int64_t now, uint32_t missing,
                        struct ct_rtp_closed *out);
struct ct_change; /* rtp_change.h */
/* Closes the open window where the run began, the next begins there; false when nothing lay in it before. */
bool ct_stream_cut(struct ct_stream *s, const struct ct_rtp_opts *o, const struct ct_change *c,
                   struct ct_rtp_window *w);
/* Microseconds since the epoch. In one step a double would lose a quarter of one, and the text of it a whole one. */
static inline double ct_us(int64_t ns) { return (double)(ns / 1000) + (double)(ns % 1000) / 1000.0; }

/* ---- rtp_restart.c: what a jump in the sequence is ---- */
/* Arrivals have moved with the timestamps so far: a file without times, or with whole seconds, proves nothing. */
bool ct_stream_has_arrival_clock(const struct ct_stream *s);
enum ct_leap ct_stream_leap(const struct ct_stream *s, const struct ct_rtp_header *h, int64_t now);
/* The packet's timestamp lies so near to that of the last one that it may be its sender's: late, or seen by a second tap. */
bool ct_stream_may_be_own(const struct ct_stream *s, const struct ct_rtp_header *h);
/* True when the packet belongs to a new stream of the same key (port and SSRC reused by the next call). */
bool ct_stream_is_reuse(const struct ct_stream *s, const struct ct_rtp_header *h, int64_t now);

/* ---- rtp_update.c: one packet into one stream ---- */
void ct_stream_start(struct ct_stream *s, const struct ct_packet *p, const struct ct_rtp_header *h,
                     const struct ct_rtp_opts *o);
struct ct_changes; /* rtp_change.h */
unsigned ct_stream_packet(struct ct_stream *s, const struct ct_packet *p, const struct ct_rtp_header *h,
                          const struct ct_rtp_opts *o, struct ct_changes *changes, struct ct_rtp_closed *out);

/* a - b without overflow, held within +-2^62: capture timestamps are hostile input. */
static inline int64_t ct_ns_diff(int64_t a, int64_t b) {
  int64_t d;
  const int64_t cap = (int64_t)1 << 62;
  if (__builtin_sub_overflow(a, b, &d)) return a > b ? cap : -cap;
  return d > cap ? cap : d < -cap ? -cap : d;
}

#endif
