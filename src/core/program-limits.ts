/** Caps of reading programs: what one ELF file, one function of it and one list of processes may hold or take. */

/** Bytes of a program in which the marks of a TLS library are looked for. */
export const MAX_MARK_SEARCH_BYTES = 256 * 1024 * 1024;

/** Files that are looked through for such marks by one list; those of processes that move TLS records. */
export const MAX_MARK_SEARCH_FILES = 4_096;

/** Cases of a jump table. */
export const MAX_JUMP_CASES = 1024;

/** A linker keeps a name once; more copies than this are no honest table. */
export const MAX_SYMBOL_COPIES = 256;

/** Bytes of /proc/PID/maps; and of a program that was just started, where more is a reason to look at the whole host. */
export const MAX_MAPS_BYTES = 2 * 1024 * 1024;
export const MAX_STARTED_MAPS_BYTES = 1024 * 1024;
/** Bytes of /proc/PID/mountinfo, where a debug file must lie. */
export const MAX_MOUNTS_BYTES = 1024 * 1024;
/** Bytes of /proc/PID/cmdline: its first argument alone is used. */
export const MAX_ARGUMENT_BYTES = 4 * 1024;

/** Bytes of the relocations of a library; libcrypto.so has many and needs a tenth. */
export const MAX_RELOCATION_BYTES = 4 * 1024 * 1024;

/** Bytes of one range of code; gnutls_handshake, the largest function that is probed, has 12 KB. */
export const MAX_CODE_RANGE_BYTES = 128 * 1024;
/** Functions and moved parts that one function may lead through, and how deep. */
export const MAX_CODE_RANGES = 32;
export const MAX_CODE_DEPTH = 8;
/** Bytes of all ranges of one file, and instructions of one function that are reached. */
export const MAX_CODE_FILE_BYTES = 512 * 1024;
export const MAX_INSTRUCTIONS = 32 * 1024;
/** Jumps with a table in one function, and its exits. */
export const MAX_JUMP_TABLES = 64;
export const MAX_EXITS = 128;
/** Instructions that are looked back on from a jump table. */
export const MAX_CODE_BACK = 512;

/** Characters of `--uprobe-comm`, and ancestors of a process that are looked at. */
export const MAX_UPROBE_PATTERN = 256;
export const MAX_ANCESTORS = 64;
/** Characters of the name of a program in a packet comment, and processes whose program's name is remembered for it. */
export const MAX_PROGRAM_NAME = 48;
export const MAX_NAMED_PROCESSES = 1_024;

/** Functions that .eh_frame_hdr names; Debian's largest programs have a tenth. */
export const MAX_FRAME_FUNCTIONS = 16 * 1024 * 1024;
/** Bytes read of one of its records. */
export const MAX_FRAME_RECORD = 64;

/** Functions that a line names. */
export const MAX_UNREAD_NAMED = 3;

/** Bytes read of one file, all together and searched ones counted in part: the largest programs of Go need a quarter. */
export const MAX_PROGRAM_READ_BYTES = 128 * 1024 * 1024;
/** Bytes that a single read counts for at least. */
export const LEAST_PROGRAM_READ_BYTES = 512;
/** Milliseconds in which the thread that reads a file must answer. */
export const MAX_PROGRAM_READ_MS = 30_000;
/** Milliseconds of one look at the host; files that are not read by then wait for the next one. */
export const MAX_LOOK_MS = 1_000;
/** The same of the first look. */
export const MAX_FIRST_LOOK_MS = 20_000;
/** Threads that never answered, because a file system does not. */
export const MAX_STUCK_READERS = 4;
/** Files that are named on standard error because they cannot be read within these bounds; further ones are counted. */
export const MAX_UNREADABLE_NAMED = 16;
/** Milliseconds of a list of the host (`--uprobe-list`, `--check`). */
export const MAX_LIST_MS = 60_000;

/** Program headers, sections and dynamic entries of an ELF file. */
export const MAX_PROGRAM_HEADERS = 512;
export const MAX_SECTIONS = 65_536;
export const MAX_DYNAMIC = 4_096;
/** Bytes of one of its tables; node's own need a tenth. */
export const MAX_ELF_TABLE_BYTES = 64 * 1024 * 1024;
/** Bytes of its notes in one piece, and of the name of its debug file. */
export const MAX_NOTE_BYTES = 64 * 1024;
export const MAX_DEBUG_NAME = 256;
/** Files and build ids whose functions the user names, and bytes of the list of them. */
export const MAX_GIVEN_FILES = 1_024;
export const MAX_GIVEN_OFFSETS_BYTES = 1024 * 1024;
/** Bytes of the name of a library. */
export const MAX_SONAME = 128;

/** Places of a table of a Go program that are tried. */
export const MAX_GO_PLACES = 256;
/** Bytes of the version that its build information names. */
export const MAX_GO_VERSION = 128;
/** Functions of a Go program, and bytes of their names and of the rest of the table; the largest programs have a quarter. */
export const MAX_GO_FUNCTIONS = 4 * 1024 * 1024;
export const MAX_GO_TABLE_BYTES = 128 * 1024 * 1024;
