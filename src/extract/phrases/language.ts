/** Phrases of one language, in lower case. */
export interface Phrases {
  /** Ends a session. Words that also mean something else, such as "exit", are left out. */
  readonly logout: readonly string[];
}
