import { CliError } from "../lib/cli-error.ts";
import {
  LINT_FAILED,
  type LintMessage,
  type LintSource,
  type LintTask,
  type PlacedFinding,
} from "./lint-messages.ts";
import { type LintWorker, startWorker } from "./start-worker.ts";
import type { LocatedFinding } from "../openapi/located-finding.ts";
import { describeOverrun, type Overrun } from "./overrun.ts";
import { readWatch } from "./watch.ts";

export interface LintOptions extends Omit<LintTask, "source"> {
  /** Called before a worker starts that may load plugins. */
  beforePlugins: () => void;
  /** The folder that file names in messages are relative to. */
  cwd: string;
  /** Seconds of processor time for the rules. */
  timeoutSeconds: number;
  /** Gets what plugins print. */
  print: (text: string) => void;
}

export interface Linted {
  findings: LocatedFinding[];
  /** Failures of linting, because of which findings are missing, one sentence each. */
  failures: string[];
  /** The number of findings that the ruleset's ignore file covers. */
  ignored: number;
}

/** Processor time that one pattern may take on one text. */
const PATTERN_SECONDS_MAX = 5;
/** A machine that is busy gives a process less processor time than passes. */
const WALL_FACTOR = 5;
const LOOK_MS = 100;
/** Loading the rules takes 0.3 s, and 2 s from their sources on a busy machine. */
const LOAD_SECONDS_MIN = 60;

/** The worker of the last description, unless plugins were loaded into it: starting one takes 0.3 s. */
let kept: LintWorker | undefined;

interface Running {
  task: LintTask;
  timeoutSeconds: number;
  cwd: string;
}

type Outcome =
  | { type: "done"; linted: Linted }
  | { type: "refused"; error: CliError }
  /** The worker can't be used any more. */
  | { type: "stopped"; error: CliError }
  | { type: "failed"; linted: Linted };

/**
 * Lints a description in a thread of its own, because a pattern of the description can take forever on an example of it. One
 * description at a time.
 * @throws {CliError} if the ruleset is invalid, or if linting takes too long, with the pattern or rule that does
 */
export async function lintSpec(source: LintSource, options: LintOptions): Promise<Linted> {
  const { beforePlugins, timeoutSeconds, print, cwd, ...rules } = options;
  const mayLoadPlugins = rules.allowPlugins && rules.rulesFile !== undefined;
  if (mayLoadPlugins) beforePlugins();
  const worker = mayLoadPlugins ? startWorker(print) : (kept ?? startWorker());
  if (kept === worker) kept = undefined;
  worker.thread.ref();
  const outcome = await outcomeOf(worker, { task: { ...rules, source }, timeoutSeconds, cwd });
  const isUsable = outcome.type === "done" || outcome.type === "refused";
  if (isUsable && !mayLoadPlugins) {
    worker.thread.unref();
    kept = worker;
  } else await worker.thread.terminate();
  if ("error" in outcome) throw outcome.error;
  return outcome.linted;
}

async function outcomeOf(worker: LintWorker, running: Running): Promise<Outcome> {
  const { thread, memory, names } = worker;
  const files = new Set([running.task.source.file]);
  const clock = startClock(memory, running.timeoutSeconds);
  // Promise.withResolvers is not in Node 20, which the command supports.
  let settle: (outcome: Outcome) => void = () => undefined;
  const ended = new Promise<Outcome>((resolve) => {
    settle = resolve;
  });
  const fail = (error: unknown): void => {
    settle({ type: "failed", linted: failure(running.task, error) });
  };
  const exited = (): void => {
    fail(new Error("the rule engine ended by itself"));
  };
  const take = (message: LintMessage): void => {
    if (message.type === "started") clock.restart();
    else if (message.type === "read") files.add(message.file);
    else if (message.type === "refused") {
      const { exitCode, details } = message;
      settle({ type: "refused", error: new CliError(exitCode, message.message, { details }) });
    } else if (message.type === "done") {
      const findings = message.findings.map(located);
      const { failures, ignored } = message;
      settle({ type: "done", linted: { findings, failures, ignored } });
    }
  };
  const timer = setInterval(() => {
    const overrun = clock.overrun();
    if (overrun === undefined) return;
    settle({ type: "stopped", error: describeOverrun(overrun, { ...running, names, files }) });
  }, LOOK_MS);
  thread.on("message", take).on("error", fail).on("exit", exited);
  try {
    post(running.task, { thread, fail });
    return await ended;
  } finally {
    clearInterval(timer);
    thread.off("message", take).off("error", fail).off("exit", exited);
  }
}

/** Sends a task to a worker. A description that is nested too deeply can't be copied. */
function post(
  task: LintTask,
  { thread, fail }: { thread: LintWorker["thread"]; fail: (error: unknown) => void },
): void {
  try {
    thread.postMessage(task);
  } catch (error) {
    fail(error);
  }
}

/** Measures the time of a worker as the processor time of this process, which does nothing else meanwhile. */
function startClock(memory: SharedArrayBuffer, timeoutSeconds: number) {
  let limit = Math.max(LOAD_SECONDS_MIN, timeoutSeconds);
  let since = { cpu: cpuSeconds(), wall: performance.now() };
  let match = { count: 0, cpu: since.cpu };
  return {
    restart: () => {
      limit = timeoutSeconds;
      since = { cpu: cpuSeconds(), wall: performance.now() };
    },
    overrun: (): Overrun | undefined => {
      const cpu = cpuSeconds();
      const state = readWatch(memory);
      if (state.pattern === 0 || state.matches !== match.count) match = { count: state.matches, cpu };
      const patternSeconds = Math.min(PATTERN_SECONDS_MAX, timeoutSeconds / 2);
      const isMatching = state.pattern !== 0 && cpu - match.cpu > patternSeconds;
      const wallSeconds = (performance.now() - since.wall) / 1000;
      const isLate = cpu - since.cpu > limit || wallSeconds > WALL_FACTOR * limit;
      return isMatching || isLate ? { ...state, isMatching, patternSeconds } : undefined;
    },
  };
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function located({ line, column, ...finding }: PlacedFinding): LocatedFinding {
  return { ...finding, position: () => ({ line, column }) };
}

/** The engine failed as a whole, for example by running out of memory. */
function failure({ source: { file }, severities }: LintTask, error: unknown): Linted {
  const reason = error instanceof Error ? error.message : String(error);
  const message = `The description could not be linted: ${reason.slice(0, 300)}`;
  const severity = severities.get(LINT_FAILED) ?? "high";
  const finding = { code: LINT_FAILED, severity, message, method: null, path: null };
  return {
    findings: [{ ...finding, file, position: () => ({ line: 1, column: 1 }), helpUrl: undefined }],
    failures: [message],
    ignored: 0,
  };
}
