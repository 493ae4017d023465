/** How many digits of an international number are its country code (ITU-T E.164, list of assigned codes). */

const ONE = /^[17]/;
const TWO = /^(?:2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/;

export function countryCodeDigits(number: string): number {
  if (ONE.test(number)) return 1;
  return TWO.test(number) ? 2 : 3;
}
