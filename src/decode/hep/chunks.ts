/** The chunks of a HEP packet by their type number and the sizes of its headers (HEP 3 revision 37), read and written. */
export const HEADER_BYTES = 6;
export const CHUNK_HEADER_BYTES = 6;

export const CHUNK = {
  FAMILY: 0x01,
  PROTOCOL: 0x02,
  SRC4: 0x03,
  DST4: 0x04,
  SRC6: 0x05,
  DST6: 0x06,
  SRC_PORT: 0x07,
  DST_PORT: 0x08,
  SECONDS: 0x09,
  MICROSECONDS: 0x0a,
  TYPE: 0x0b,
  AGENT: 0x0c,
  KEEP_ALIVE: 0x0d,
  AUTH_KEY: 0x0e,
  PAYLOAD: 0x0f,
  COMPRESSED: 0x10,
  CORRELATION: 0x11,
  VLAN: 0x12,
  NODE: 0x13,
  TCP_FLAGS: 0x17,
  TOS: 0x18,
  MOS: 0x20,
  R_FACTOR: 0x21,
  JITTER: 0x23,
  GROUP: 0x29,
} as const;
