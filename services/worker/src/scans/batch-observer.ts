/** Receives the outcomes of claimed runs, for the worker's metrics and traces. */
export interface BatchObserver {
  /** A transaction was committed: the number of completed runs and written rows, and the duration. */
  persisted(batch: { completed: number; rows: number; seconds: number }): void;
  /** A run was released for a retry. */
  retried(scanRunId: string): void;
  /** A run has failed, with this error code. */
  failed(scanRunId: string, code: string): void;
}
