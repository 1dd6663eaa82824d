/** A result of `hayrake doctor` for one part of the installation. */
export interface Diagnosis {
  /** Stable, in lower case: `node`, `clock`. */
  readonly name: string;
  /** `warn`: it works now, but will not always. `fail`: hayrake, or a setting, does not work like this. */
  readonly state: 'ok' | 'warn' | 'fail';
  /** One line. */
  readonly message: string;
  /** How to fix it, in one line. Absent exactly if nothing has to be done. */
  readonly remedy?: string;
}

/** One check. Writes nothing. An exception counts as a failure. */
export type Examination = () => Diagnosis | Promise<Diagnosis>;
