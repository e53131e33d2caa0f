import { type ChildProcess, fork } from "node:child_process";
import type { ReportFormat } from "@waymark/journeys/report/formats.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";

/** Limits of one report. */
export interface RenderLimits {
  ms: number;
  memoryMiB: number;
}

export interface RenderRequest {
  format: ReportFormat;
  /** The text of a result. */
  result: string;
}

export type RenderReply =
  | { kind: "ready" }
  | { kind: "report"; report: Uint8Array }
  | { kind: "fault"; name: string };

/** Renders one report at a time in a process, which starts when it is needed. Disposing it ends the process. */
export interface RenderProcess extends Disposable {
  /** @throws AppError `service_unavailable` if the report takes more time or memory than it may */
  render(request: RenderRequest): Promise<Buffer>;
}

/** Until the process has loaded its modules, which is not the report's fault. */
const START_MS = 30_000;

export function createRenderProcess(limits: RenderLimits): RenderProcess {
  let child: ChildProcess | undefined;

  function end(): void {
    child?.kill("SIGKILL");
    child = undefined;
  }

  async function open(): Promise<ChildProcess> {
    if (child?.connected === true) return child;
    child = fork(new URL("./report-process.ts", import.meta.url), {
      env: {},
      execArgv: [`--max-old-space-size=${limits.memoryMiB}`],
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    await nextReply(child, { ms: START_MS, tooLate: () => new Error("the report process does not start") });
    return child;
  }

  return {
    async render(request) {
      try {
        const opened = await open();
        const reply = nextReply(opened, { ms: limits.ms, tooLate: () => tooMuch(limits) });
        opened.send(request, () => undefined);
        const rendered = await reply;
        if (rendered.kind === "report") return Buffer.from(rendered.report);
        if (rendered.kind === "fault") throw new Error(`the report could not be rendered: ${rendered.name}`);
        throw new Error("the report process started twice");
      } catch (error) {
        end();
        throw error;
      }
    },
    [Symbol.dispose]: end,
  };
}

/** @throws what `tooLate` gives, also if the process ends: Node ends one that needs more memory than it may have */
function nextReply(
  child: ChildProcess,
  { ms, tooLate }: { ms: number; tooLate: () => Error },
): Promise<RenderReply> {
  const { promise, resolve, reject } = Promise.withResolvers<RenderReply>();
  const onEnd = () => reject(tooLate());
  const timer = setTimeout(onEnd, ms);
  child.on("message", resolve).on("exit", onEnd).on("error", reject);
  return promise.finally(() => {
    clearTimeout(timer);
    child.off("message", resolve).off("exit", onEnd).off("error", reject);
  });
}

function tooMuch({ ms, memoryMiB }: RenderLimits): AppError {
  return new AppError(
    "service_unavailable",
    `Rendering this report takes more than ${ms / 1000} s or ${memoryMiB} MiB right now. Try again later, or read the run's result instead.`,
    { data: { retryAfterSeconds: 10 } },
  );
}
