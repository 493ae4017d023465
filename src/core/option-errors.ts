/** What a command line, an environment or a configuration can have wrong: rows of the catalogue of errors (errors.ts). */
import { rows } from './error-row.ts';

/** In an option `{option}` is what the user wrote. */
export const OPTION_ERRORS = rows('cli.md', 2, {
  OPTION_GONE: { line: '{option}: this option is gone', remedy: '{hint}' },
  OPTION_UNKNOWN: { line: '{option}: there is no such option', remedy: '{hint}' },
  OPTION_KEY_UNKNOWN: { line: '{option}: there is no such key', remedy: '{hint}' },
  OPTION_TWICE: { line: '{option}: it appears more than once', remedy: 'give it once' },
  OPTION_CONFLICT: { line: '{option}: {reason}', remedy: '{remedy}' },
  OPTION_NOT_BUILT_IN: { line: '{option}: {reason}', remedy: '{remedy}' },
  OPTION_LEFT_OUT: {
    line: '{option}: this build does not have the feature {feature}',
    remedy: 'use a build that has it',
  },
  ARGUMENT_UNKNOWN: {
    line: '{option}: no option takes this word, and no file has this name',
    remedy: 'quote a key that has blanks, and name captures in front of keys',
  },
  NOTHING_TO_READ: {
    line: '-I: there is nothing to read',
    remedy: 'name a capture file, or give an interface with -d IFACE; calltap alone lists them',
  },
  ARGUMENT_STRAY: { line: '{option}: no file has this name', remedy: '{hint}' },
  BPF_INVALID: { line: '--bpf: {reason}', remedy: 'correct the expression (man pcap-filter)' },
  CONFIG_UNREADABLE: { line: '--config {path}: {reason}', remedy: 'name a readable TOML file' },
  CONFIG_SYNTAX: { line: '--config {path}: {reason}', remedy: 'correct the file' },
  VALUE_MISSING: { line: '{option}: the value is missing', remedy: 'write {option} {arg}' },
  VALUE_UNWANTED: { line: '{option}: it takes no value', remedy: 'write {option} alone' },
  VALUE_EMPTY: { line: '{option}: the value is empty', remedy: 'give a value' },
  VALUE_TYPE: {
    line: '{option}: {cause}',
    causes: {
      bool: 'it is not a boolean; write true or false',
      text: 'a boolean does not fit; write text or a number',
      list: 'it takes one value; write it without brackets',
      other: 'the value has the wrong type; write text, a number or a boolean',
    },
  },
  BOOL_INVALID: { line: '{option}: {value} is neither true nor false', remedy: 'give true or false' },
  CHOICE_INVALID: { line: '{option}: {value} is not a choice', remedy: 'give one of {choices}' },
  NUMBER_INVALID: {
    line: '{option}: {value} {cause}',
    remedy: 'give {what} from {min} to {max}',
    causes: { form: 'is not {what}', range: 'is out of range' },
  },
  SIZE_INVALID: {
    line: '{option}: {value} {cause}',
    remedy: 'give bytes from {min} to {max}, with k, M or G if you like (64M)',
    causes: { form: 'is not a size', range: 'is out of range' },
  },
  SPLIT_INVALID: {
    line: '{option}: {value} {cause}',
    remedy: 'give a size of 64k or more, a time in s, min, h or d, or both: 100M, 1h, 100M,1h; or the word call',
    causes: { form: 'is neither a size nor a time', range: 'is out of range' },
  },
  TIME_INVALID: {
    line: '{option}: {value} {cause}',
    remedy: 'give a time of up to 24 days in s, min, h or d, such as 60s or 2h',
    causes: { form: 'is not a time', range: 'is out of range' },
  },
  PORTS_INVALID: {
    line: '{option}: {value} {cause}',
    remedy: 'give ports or ranges from 1 to 65535, such as 5060-5061,5080',
    causes: { form: 'is neither a port nor a range', range: 'is out of range', order: 'runs backwards' },
  },
  ADDRESS_INVALID: {
    line: '{option}: {value} {cause}',
    remedy: 'give host:port, such as 127.0.0.1:8080 or [::1]:8080',
    causes: {
      form: 'is not an address with a port',
      port: 'is out of range',
      v6: 'is not an IPv6 address',
      host: 'is not a host',
    },
  },
  HEADER_NAME_INVALID: {
    line: '{option}: {value} is not a header name',
    remedy: 'give it without colon and blanks, such as X-Call-ID',
  },
  HEADER_PATTERN_INVALID: { line: '{option}: the pattern {reason}', remedy: 'give a short one, such as id=([^;]+)' },
  NAMES_INVALID: {
    line: '{option}: {reason}',
    remedy: 'write an address or network and a name on each line, such as 192.0.2.10 pbx',
  },
  NAME_INVALID: { line: '--name {value}: {reason}', remedy: 'write ADDRESS=NAME, such as 192.0.2.10=pbx' },
  COUNTRY_CODE_INVALID: {
    line: '--country-code: {value} is not a country code',
    remedy: 'write one to three digits without + or 00, such as 49',
  },
  DEVICE_CLASS_INVALID: {
    line: '{option}: {reason}',
    remedy: 'write NAME=PATTERN, a regular expression of RE2 that is found in the User-Agent',
  },
  TRUNK_LIMIT_INVALID: { line: '{option}: {reason}', remedy: 'write the name of a trunk and a number: carrier=30' },
  METRICS_FAMILIES_INVALID: {
    line: '--metrics-families: {reason}',
    remedy: 'write some of {choices} with commas between them',
  },
  TRUNK_BOUND_INVALID: {
    line: '{option}: {reason}',
    remedy: 'write BAD..GOOD, such as 30..60: trouble begins beyond the first and ends beyond the second; or off',
  },
  TRUNK_INVALID: { line: '{option}: {reason}', remedy: 'write PLACE=NAME, such as 192.0.2.0/28=carrier' },
  SPAN_INVALID: {
    line: '--span: {value} is not a span',
    remedy: 'write seconds after the first packet, such as 10..12, or worst',
  },
  FILTER_INVALID: { line: '{option}, {place}: {reason}' },
  TERMINAL_UNFIT: { line: '{option}: {reason}', remedy: 'run it in a terminal, or {remedy}' },
  CONNECT_INVALID: { line: '--connect {url}: {reason}', remedy: 'give http://127.0.0.1:8080 or https://HOST' },
  COLUMN_UNKNOWN: { line: '--columns: there is no column {value}', remedy: 'give some of {choices}' },
  POINTER_INVALID: {
    line: '--show-frame: {pointer} is not a frame pointer',
    remedy: 'write SOURCE#ORDINAL@DIGEST (16 hex digits) or SOURCE#ORDINAL',
  },
  INTERFACES_INVALID: {
    line: '-d: cannot capture from {count} interfaces',
    remedy: 'name 1 to {max}, or any for all',
  },
});
