/** Options that make calltap show all families of metrics. */
export const ALL_FAMILIES: readonly string[] = [
  ...['--metrics-families', 'all'],
  ...['--trunk-limit', 'acme=10'],
  ...['--device-class', 'deskphone=^DeskPhone'],
];
