/** The wire contract in one import. Field names here are the JSON, so they are snake_case. */

export * from './ask.ts';
export * from './ask-overview.ts';
export * from './ask-query.ts';
export * from './ask-sums.ts';
export * from './ask-trunks.ts';
export * from './call.ts';
export * from './capture-report.ts';
export * from './correlation.ts';
export * from './diagnosis.ts';
export * from './dialog.ts';
export * from './hook.ts';
export * from './icmp-media.ts';
export * from './lint.ts';
export * from './peer.ts';
export * from './persistence.ts';
export * from './phone-report.ts';
export * from './problem.ts';
export * from './query.ts';
export * from './schema.ts';
export * from './signaling-diagnosis.ts';
export * from './stats.ts';
export * from './stream.ts';
export * from './values.ts';
export * from './vcon.ts';
