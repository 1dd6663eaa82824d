/** What a backup holds. */
export interface BackupSummary {
  readonly jobs: number;
  readonly pages: number;
  readonly bytes: number;
}
