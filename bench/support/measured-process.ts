import path from "node:path";
import { type Service, startService, untilReady } from "../../scripts/service.ts";
import { cleanEnvironment } from "@waymark/test-support/run-node.ts";
import type { CallAnswer } from "./calls.ts";

const READY_MS = 60_000;

export interface MeasuredProcess extends AsyncDisposable {
  pid: number;
  /** Asks something inside the process, see `calls.ts`. */
  call<T>(method: string, args?: unknown): Promise<T>;
  log(): string;
}

export interface ProcessOptions {
  env: Record<string, string>;
  /** Its output goes to a file there: reading a pipe would cost the load generator time. */
  logFolder: string;
  isReady: (process: MeasuredProcess) => Promise<boolean>;
}

/**
 * Starts a process to be measured and waits until it is ready. It ends with this one at the latest.
 *
 * @throws Error with the end of its log when it ends or stays unready
 */
export async function startMeasured(script: string, options: ProcessOptions): Promise<MeasuredProcess> {
  const service = startService(script, {
    env: cleanEnvironment(options.env),
    logFile: path.join(options.logFolder, `${path.parse(script).name}-${Date.now()}.log`),
  });
  const measured = describe(service);
  await untilReady(service, () => options.isReady(measured), { timeoutMs: READY_MS });
  return measured;
}

function describe({ script, child, ...service }: Service): MeasuredProcess {
  const waiting = new Map<number, (answer: CallAnswer) => void>();
  child.once("exit", () => {
    for (const [id, settle] of waiting) settle({ id, error: `${script} ended` });
  });
  let calls = 0;
  child.on("message", (answer: CallAnswer) => {
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  return {
    pid: service.pid,
    log: () => service.output(),
    call: <T>(method: string, args?: unknown) =>
      new Promise<T>((resolve, reject) => {
        const id = ++calls;
        waiting.set(id, ({ result, error }) => {
          if (error === undefined) resolve(result as T);
          else reject(new Error(`${script}: ${method}: ${error}`));
        });
        child.send({ id, method, args });
      }),
    async [Symbol.asyncDispose]() {
      await service.stop();
    },
  };
}
