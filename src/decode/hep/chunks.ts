/** The chunks of a HEP packet that are read or written, by type number, and the sizes of its headers (HEP 3 revision 37). */
export const HEADER_BYTES = 6;
export const CHUNK_HEADER_BYTES = 6;

export const FAMILY = 0x01;
export const PROTOCOL = 0x02;
export const SRC4 = 0x03;
export const DST4 = 0x04;
export const SRC6 = 0x05;
export const DST6 = 0x06;
export const SRC_PORT = 0x07;
export const DST_PORT = 0x08;
export const SECONDS = 0x09;
export const MICROSECONDS = 0x0a;
export const TYPE = 0x0b;
export const AGENT = 0x0c;
export const AUTH_KEY = 0x0e;
export const PAYLOAD = 0x0f;
export const COMPRESSED = 0x10;
export const CORRELATION = 0x11;
export const VLAN = 0x12;
export const NODE = 0x13;
export const TCP_FLAGS = 0x17;
export const TOS = 0x18;
