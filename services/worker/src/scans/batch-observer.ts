/** Is told what becomes of claimed runs: what the worker's metrics and traces are made from. */
export interface BatchObserver {
  /** One transaction: how many runs it completed, how many rows it wrote, how long it took. */
  persisted(batch: { completed: number; rows: number; seconds: number }): void;
  /** A run goes back to be tried again. */
  retried(scanRunId: string): void;
  /** A run has ended as failed, with the error code that it shows. */
  failed(scanRunId: string, code: string): void;
}
