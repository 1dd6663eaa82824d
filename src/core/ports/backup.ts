/** Size of a backup. */
export interface BackupSummary {
  readonly jobs: number;
  readonly pages: number;
  readonly bytes: number;
}
