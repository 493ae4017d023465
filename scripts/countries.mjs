// Writes src/watch/numbers/country-prefixes.ts from the metadata of libphonenumber-js: which country a number in E.164 belongs to,
// by its first digits. Run it after an update of that package: node scripts/countries.mjs
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from './steps/files.mjs';
import { say } from './steps/run.mjs';

// From the folder in LIBPHONENUMBER, where it is not installed here.
const require = createRequire(process.env.LIBPHONENUMBER ?? import.meta.url);
const { parsePhoneNumberFromString: parse } = require('libphonenumber-js/max');
const metadata = require('libphonenumber-js/metadata.max.json');
const { version } = require('libphonenumber-js/package.json');

/** Digits of the national number that are looked at where several countries share a calling code. */
const DEPTH = 5;
/** Of North America area codes are whole. */
const AREA = 3;
const FILLS = ['0000000', '1234567', '2345678', '5678901', '9999999'];
const LENGTHS = [7, 8, 9, 10, 11];

/** Countries of the numbers that begin like this. */
function countriesOf(code, prefix) {
  const found = new Set();
  for (let next = 0; next < 100; next++)
    for (const fill of FILLS)
      for (const length of LENGTHS) {
        const digits = `${prefix}${String(next).padStart(2, '0')}${fill}`.slice(0, length);
        if (digits.length < length) continue;
        const number = parse(`+${code}${digits}`);
        if (number?.isValid() && number.country !== undefined) found.add(number.country);
      }
  return found;
}

/** Prefixes of countries beside the main one of a calling code. */
function* shared(code, main, prefix, above) {
  const found = countriesOf(code, prefix);
  if (found.size === 0) return;
  if (found.size === 1 || prefix.length === DEPTH) {
    const [only] = found.size === 1 ? found : [main];
    if (only !== above) yield [only, `${code}${prefix}`];
    return;
  }
  for (let digit = 0; digit < 10; digit++) yield* shared(code, main, `${prefix}${digit}`, above);
}

const byCountry = new Map();
const add = (country, prefix) => byCountry.set(country, [...(byCountry.get(country) ?? []), prefix]);
for (const [code, countries] of Object.entries(metadata.country_calling_codes)) {
  const [main] = countries;
  if (!/^[A-Z]{2}$/.test(main)) continue;
  add(main, code);
  if (countries.length === 1) continue;
  if (code === '1') {
    for (let area = 200; area < 1000; area++) {
      const [country = main, ...more] = countriesOf(code, String(area).padStart(AREA, '0'));
      if (more.length === 0 && country !== main) add(country, `${code}${area}`);
    }
  } else
    for (let digit = 0; digit < 10; digit++)
      for (const [country, prefix] of shared(code, main, `${digit}`, main)) add(country, prefix);
}

const rows = [...byCountry]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([country, prefixes]) => `  ${country}: '${prefixes.sort().join(' ')}',`);
const text = `/**
 * The table of countries by the first digits of a number in E.164, written by scripts/countries.mjs from the metadata of
 * libphonenumber-js ${version} (MIT; metadata of Google's libphonenumber, Apache 2.0). Do not edit it by hand.
 */
export const COUNTRY_PREFIXES: Readonly<Record<string, string>> = {
${rows.join('\n')}
};
`;
writeFileSync(join(root, 'src/watch/numbers/country-prefixes.ts'), text);
say(`countries: ${rows.length} countries`);
