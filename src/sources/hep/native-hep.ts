/** The addon's HEP capture as TypeScript sees it, and where a packet came from. */

/** struct ct_hep_sender as the binding hands it over: addr 16, version 1, padding 7, then the verdicts' u64. */
export const SENDER_ADDRESS_BYTES = 24;

/** Options of the native HepCapture; the memory is JavaScript's and stays pinned until stop(). */
export type NativeHepOptions = {
  slabs: Uint8Array;
  descriptors: Uint8Array;
  counters: BigUint64Array;
  /** HepAllow.packed(). */
  allow: Uint8Array;
  /** Without it in a packet the gate refuses it; empty asks for none. */
  key: Uint8Array;
  rate: number;
  maxBytes: number;
  receiveBuffer: number;
  sourceId: number;
};

export type NativeHepCapture = {
  /** errno 0 when it is bound; then the port and the granted receive buffer. */
  open(address: string, port: number): { errno: number; port: number; receiveBuffer: number };
  /** Before start(): what is taken is written to the OutputFile of this id. */
  setOutput(id: number): void;
  /** errno, 0 when the thread runs. */
  start(): number;
  /** Judges and counts one packet of another transport: a verdict, 0 taken. */
  admit(address: Uint8Array, version: number, packet: Uint8Array, start: number, end: number): number;
  /** Fills rows of SENDER_ADDRESS_BYTES + 8 * verdicts bytes, most refusals first; how many. */
  topSenders(rows: Uint8Array): number;
  /** Ends the thread; what it had is still handed over. */
  halt(): void;
  /** Records not yet handed over. */
  unread(): number;
  /** Stops and joins; no callback comes after it. */
  close(): void;
};
