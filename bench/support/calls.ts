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

/** Handles these calls, also earlier ones, until the parent ends this process. */
export function serveCalls(handlers: CallHandlers): void {
  process.on("message", (call: Call) => void answer(handlers, call));
  // A started script does not wait for its parent otherwise.
  process.channel?.ref();
}

async function answer(handlers: CallHandlers, { id, method, args }: Call): Promise<void> {
  let message: CallAnswer;
  try {
    const handler = handlers[method];
    if (handler === undefined) throw new Error("there is no such call");
    message = { id, result: await handler(args) };
  } catch (error) {
    message = { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  process.send?.(message);
}
