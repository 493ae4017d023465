/** Scenes that the program gets wrong today, each with its reason. A scene that comes right must leave the list. */
export const AWAITED: Readonly<Record<string, string>> = {};
