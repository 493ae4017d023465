/**
 * Where the scanner leaves what it finds: 32-bit numbers by index. Read by TypeScript and by the scanner's own compiler,
 * so it holds plain constants only.
 *
 * The first `ABSENT_FROM` begin as 0, the others as -1.
 */

export const REQUEST = 0;
/** Id of the method; of a response the id of its CSeq method. */
export const METHOD = 1;
/** Status code; 0 in a request and when it has not three digits. */
export const STATUS = 2;
export const CSEQ_METHOD = 3;
/** Contact values in all Contact headers. */
export const CONTACT_COUNT = 4;
export const CREDENTIALS = 5;
export const HEADER_COUNT = 6;
export const NOTES = 7;
/** Bits of `SEEN`. */
export const SEEN = 8;
export const OUTCOME = 9;
/** hashBytes() of the Call-ID; 0 where it is missing. */
export const CALL_ID_HASH = 10;

export const ABSENT_FROM = 16;

// The end of a range follows its start.
/** First byte of the start line: after skipped line ends. */
export const MESSAGE_START = 16;
export const START_LINE_END = 17;
export const METHOD_START = 18;
export const METHOD_END = 19;
export const URI_START = 20;
export const URI_END = 21;
export const VERSION_START = 22;
export const VERSION_END = 23;
export const REASON_START = 24;
export const REASON_END = 25;
export const CALL_ID_START = 26;
export const CALL_ID_END = 27;
export const FROM_START = 28;
export const FROM_END = 29;
export const TO_START = 30;
export const TO_END = 31;
export const FROM_TAG_START = 32;
export const FROM_TAG_END = 33;
export const TO_TAG_START = 34;
export const TO_TAG_END = 35;
/** First value of the first Via. */
export const VIA_START = 36;
export const VIA_END = 37;
export const BRANCH_START = 38;
export const BRANCH_END = 39;
export const CSEQ = 40;
export const CSEQ_METHOD_START = 41;
export const CSEQ_METHOD_END = 42;
/** -1 absent, -2 invalid. */
export const CONTENT_LENGTH = 43;
export const CONTENT_TYPE_START = 44;
export const CONTENT_TYPE_END = 45;
/** First Contact header, all its values. */
export const CONTACT_START = 46;
export const CONTACT_END = 47;
/** Expires header in seconds, 2^31-1 at most; -1 absent or no number. */
export const EXPIRES = 48;
/** User-Agent, in responses more often Server. */
export const USER_AGENT_START = 49;
export const USER_AGENT_END = 50;
export const EVENT_START = 51;
export const EVENT_END = 52;
export const SUBSCRIPTION_STATE_START = 53;
export const SUBSCRIPTION_STATE_END = 54;
export const REFER_TO_START = 55;
export const REFER_TO_END = 56;
export const SESSION_ID_START = 57;
export const SESSION_ID_END = 58;
/** P-Charging-Vector. */
export const CHARGING_START = 59;
export const CHARGING_END = 60;
/** First Reason header: why the call ended, not the reason phrase. */
export const CAUSE_START = 61;
export const CAUSE_END = 62;
/** X-Asterisk-HangupCause and X-Asterisk-HangupCauseCode. */
export const HANGUP_TEXT_START = 63;
export const HANGUP_TEXT_END = 64;
export const HANGUP_CODE_START = 65;
export const HANGUP_CODE_END = 66;
/** First header line. */
export const HEADERS_START = 67;
export const BODY_START = 68;
export const BODY_END = 69;
/** End of the message: of its body. */
export const MESSAGE_END = 70;

/** A multiple of four: the scanner clears so many at a time. */
export const FIELD_INTS = 72;

/** The headers in order: start and end of the name, start and end of the trimmed value. A line without a colon has none. */
export const HEADERS = 72;
export const HEADER_INTS = 4;

/** Room for `MAX_HEADERS` of them and one: a message without an empty line can have one more. */
export const RESULT_INTS = 72 + 4 * 1025;

/** What a job of the scanner consists of, by index: addresses, and what an address is more than the caller's offset. */
export const JOB_START = 0;
export const JOB_END = 1;
export const JOB_SHIFT = 2;
/** Number of the result. */
export const JOB_RESULT = 3;
export const JOB_INTS = 4;

/** Room for the bytes of the messages of a call. */
export const INPUT_BYTES = 320 * 1024;

/** Jobs of one call, and results. One result more is for a message that is scanned alone. */
export const JOBS = 16;
