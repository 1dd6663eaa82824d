/** What `hayrake doctor` found out about one part of the installation. */
export interface Finding {
  /** Stable, in lower case: `node`, `clock`. */
  readonly name: string;
  /** `warn`: it works, and will not always. `fail`: hayrake, or what is set, does not work so. */
  readonly state: 'ok' | 'warn' | 'fail';
  /** One line. */
  readonly message: string;
  /** What to do about it, in one line. Absent exactly where nothing is to be done. */
  readonly remedy?: string;
}

/** One thing to look at. Writes nothing. What it throws is a failure. */
export type Examination = () => Finding | Promise<Finding>;
