/**
 * Limits what a user may take of a table that all users share: as much as he leaves free. So one user gets half of it, two
 * users get a third each, and there is room for one more user. Root may fill it.
 */
import { statSync } from 'node:fs';

export const ROOT = 0;
/** Processes that have gone: nobody knows whose they were, and they get no more than a user. */
export const GONE = -1;

/** The user whose process it is, whatever the process forbids others to see of it. */
export function userOf(procRoot: string, pid: number): number {
  try {
    return statSync(`${procRoot}/${pid}`).uid;
  } catch {
    return GONE;
  }
}

/** Asks once for each process. */
export function usersOf(procRoot: string): (pid: number) => number {
  const users = new Map<number, number>();
  return (pid) => {
    const user = users.get(pid) ?? userOf(procRoot, pid);
    users.set(pid, user);
    return user;
  };
}

export function describeUser(user: number): string {
  return user === GONE ? 'processes that have gone' : `user ${user}`;
}

export class UserShares {
  readonly #most: number;
  readonly #taken = new Map<number, number>();
  #total = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Rows that are taken. */
  get total(): number {
    return this.#total;
  }

  get isFull(): boolean {
    return this.#total >= this.#most;
  }

  /** Each row must find as much left as the user has by then. */
  hasRoom(user: number, rows = 1): boolean {
    const left = this.#most - this.#total;
    return user === ROOT ? rows <= left : (this.#taken.get(user) ?? 0) + 2 * rows - 1 <= left;
  }

  take(user: number, rows = 1): void {
    this.#taken.set(user, (this.#taken.get(user) ?? 0) + rows);
    this.#total += rows;
  }

  free(user: number, rows = 1): void {
    const left = (this.#taken.get(user) ?? 0) - rows;
    if (left > 0) this.#taken.set(user, left);
    else this.#taken.delete(user);
    this.#total -= rows;
  }
}
