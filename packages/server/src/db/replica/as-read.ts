import { AsyncLocalStorage } from "node:async_hooks";

const reads = new AsyncLocalStorage<true>();

/** Runs the work of a request that only reads: what it asks the database may be answered by a replica. */
export function asRead<T>(work: () => T): T {
  return reads.run(true, work);
}

/** Whether the work that asks only reads. */
export function isRead(): boolean {
  return reads.getStore() === true;
}
