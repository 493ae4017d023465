/** Names the causes of ITU-T Q.850 (table 1), where a Reason header gives the number only. */
const CAUSES: ReadonlyMap<number, string> = new Map([
  [1, 'Unallocated number'],
  [2, 'No route to transit network'],
  [3, 'No route to destination'],
  [6, 'Channel unacceptable'],
  [16, 'Normal call clearing'],
  [17, 'User busy'],
  [18, 'No user responding'],
  [19, 'No answer from user'],
  [20, 'Subscriber absent'],
  [21, 'Call rejected'],
  [22, 'Number changed'],
  [26, 'Non-selected user clearing'],
  [27, 'Destination out of order'],
  [28, 'Invalid number format'],
  [29, 'Facility rejected'],
  [31, 'Normal, unspecified'],
  [34, 'No circuit available'],
  [38, 'Network out of order'],
  [41, 'Temporary failure'],
  [42, 'Switching equipment congestion'],
  [44, 'Requested circuit not available'],
  [47, 'Resource unavailable'],
  [50, 'Requested facility not subscribed'],
  [55, 'Incoming calls barred'],
  [57, 'Bearer capability not authorized'],
  [58, 'Bearer capability not available'],
  [63, 'Service or option not available'],
  [65, 'Bearer capability not implemented'],
  [69, 'Requested facility not implemented'],
  [79, 'Service or option not implemented'],
  [88, 'Incompatible destination'],
  [102, 'Recovery on timer expiry'],
  [111, 'Protocol error'],
  [127, 'Interworking, unspecified'],
]);

/** Null for a value without a name here. */
export function q850Text(code: number | null): string | null {
  return code === null ? null : (CAUSES.get(code) ?? null);
}
