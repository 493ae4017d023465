/**
 * Asks rows of `messages` of the store for the values of headers. Texts are there without their secrets, and without bodies unless
 * agents ship these.
 */
const EMPTY_LINE = `position(text, '\\r\\n\\r\\n')`;
const HEADERS = `substring(text, 1, if(${EMPTY_LINE} = 0, length(text), ${EMPTY_LINE}))`;
// An expression reads each line from its begin: one for the whole text takes several times as long.
const LINES = `splitByChar('\\n', replaceAll(${HEADERS}, '\\r', ''))`;

/** Of a row of `messages` the values of headers, as an array; `expression` is a parameter, made by headerExpression(). */
export function headerValues(expression: string): string {
  return `arrayMap(x -> extract(x, ':[ \\\\t]*(.*)'), arrayFilter(x -> match(x, ${expression}), ${LINES}))`;
}

/** Finds the lines of headers of this name, as RE2 (RFC 3261 section 7.3.1). */
export function headerExpression(name: string): string {
  return `(?i)^${name.replaceAll(/[.*+]/g, '\\$&')}[ \\t]*:`;
}
