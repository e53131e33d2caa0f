import { isMainThread } from "node:worker_threads";

/** The calls that a measured process handles over its IPC channel. */
export type CallHandlers = Record<string, (args: never) => unknown>;

interface Call {
  id: number;
  method: string;
  args: never;
}

export interface CallAnswer {
  id: number;
  result?: unknown;
  error?: string;
}

const handlers = new Map<string, (args: never) => unknown>();
const early: Call[] = [];

/** Handles calls with these names from now on, including earlier ones. */
export function handleCalls(added: CallHandlers): void {
  for (const [name, handler] of Object.entries(added)) handlers.set(name, handler);
  for (const call of early.splice(0)) void answer(call);
}

/** The same in a process that only handles these calls, until its parent ends it. */
export function serveCalls(added: CallHandlers): void {
  handleCalls(added);
  process.channel?.ref();
}

/** Listens for calls without keeping the process alive. */
export function listenForCalls(): void {
  if (!isMainThread || process.channel === undefined) return;
  process.on("message", (call: Call) => void answer(call));
  process.channel?.unref();
}

async function answer(call: Call): Promise<void> {
  const handler = handlers.get(call.method);
  if (handler === undefined) {
    early.push(call);
    return;
  }
  const { id } = call;
  let message: CallAnswer;
  try {
    message = { id, result: await handler(call.args) };
  } catch (error) {
    message = { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  process.send?.(message);
}
