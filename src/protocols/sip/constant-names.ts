/** Names for the plain constants of the scanner: its compiler knows no objects, so each is a constant in capitals there. */

/** `CALL_ID_START` is `callIdStart`. */
export type Camel<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<Camel<Tail>>}`
  : Lowercase<S>;

/** The same of a name that is only known at run time. */
export function camelOf(name: string): string {
  return name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}
