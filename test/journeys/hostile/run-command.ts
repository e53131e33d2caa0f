import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import path from "node:path";
import { root } from "../../../scripts/bootstrap/checkout.mjs";
import { cleanEnvironment } from "@waymark/test-support/run-node.ts";
import { documentText, SOURCE } from "../support/fake.ts";
import type { CommandScenario } from "./case.ts";

export interface Measured {
  exitCode: number | null;
  output: string;
  ms: number;
  /** Processor time of the command and of its sandboxes; 0 except on Linux, which alone shows it. */
  processorMs: number;
  /** Peak of the command and of its sandbox together; 0 except on Linux, which alone shows it. */
  memoryMiB: number;
}

const BIN = path.join(root, "cli/bin/waymark.mjs");
const POLL_MS = 5;

/** Runs a case with the command as users have it, against a real server. */
export async function runByCommand(
  folder: string,
  scenario: CommandScenario,
  { timeoutSeconds }: { timeoutSeconds: number },
): Promise<Measured> {
  const file = path.join(folder, "t.journey.yaml");
  writeFileSync(file, scenario.text ?? documentText(scenario));
  writeFileSync(path.join(folder, "x"), descriptionOf(scenario));
  const overlay = path.join(folder, "o.overlay.yaml");
  if (scenario.overlay !== undefined) writeFileSync(overlay, scenario.overlay);
  const inputs = path.join(folder, "inputs.json");
  writeFileSync(inputs, JSON.stringify(scenario.options?.inputs ?? {}));
  const server = await serve(scenario);
  const follow = scenario.options?.followRedirects === true ? ["--follow-redirects"] : [];
  const limits = ["--timeout", String(timeoutSeconds), "--quiet"];
  const given = [
    "--inputs",
    inputs,
    ...(scenario.text === undefined && scenario.overlay === undefined
      ? ["--server", `api=${server.url}`]
      : []),
    ...(scenario.overlay === undefined ? [] : ["--overlay", overlay]),
  ];
  try {
    return await measure(["journey", "run", file, ...given, ...limits, ...follow]);
  } finally {
    await server[Symbol.asyncDispose]();
  }
}

/** The text of a case's description, to which its document refers as `x`. */
export function descriptionOf({ source }: CommandScenario): string {
  const other = SOURCE.type === "openapi" ? SOURCE.document : undefined;
  return typeof source === "string" ? source : JSON.stringify(source ?? other);
}

/** Returns a listener that answers the requests of a case as its fake does. */
export function responder({ answer, respond }: CommandScenario): RequestListener {
  let n = 0;
  return (request, response) => {
    if (respond === undefined) sendAnswer(answer, request, response, ++n);
    else respond(response);
  };
}

/** A server that answers as the case's fake does. */
async function serve(scenario: CommandScenario): Promise<AsyncDisposable & { url: string }> {
  const answer = responder(scenario);
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => answer(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function sendAnswer(
  answer: CommandScenario["answer"],
  { method = "GET", url = "/" }: IncomingMessage,
  response: ServerResponse,
  n: number,
): void {
  const answered = answer({ method, url, headers: {}, body: undefined }, n);
  if (answered === "silence") return;
  if (answered === "refused") {
    response.destroy();
    return;
  }
  const { status, body, headers = {}, type = "application/json" } = answered;
  const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
  response.writeHead(status, { ...(text === "" ? {} : { "Content-Type": type }), ...headers }).end(text);
}

function measure(args: readonly string[]): Promise<Measured> {
  const start = performance.now();
  const child = spawn(process.execPath, [BIN, ...args], {
    env: cleanEnvironment({}),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const peaks = new Map<string, number>();
  const times = new Map<string, number>();
  const timer = setInterval(() => {
    addPeaks(String(child.pid), peaks, times);
  }, POLL_MS);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exitCode) => {
      clearInterval(timer);
      const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0);
      resolve({
        exitCode,
        output,
        ms: Math.round(performance.now() - start),
        processorMs: sum(times.values()),
        memoryMiB: Math.round(sum(peaks.values()) / 1024),
      });
    });
  });
}

/**
 * The most that a process and its children had so far, and the processor time of each. Of sandboxes that follow each other the largest
 * counts.
 */
function addPeaks(pid: string, peaks: Map<string, number>, times: Map<string, number>): void {
  const children = read(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean);
  const add = (name: string, of: string) => {
    const kiB = Number(/VmHWM:\s+(\d+) kB/.exec(read(`/proc/${of}/status`))?.[1] ?? 0);
    peaks.set(name, Math.max(peaks.get(name) ?? 0, kiB));
    // In hundredths of a second, after the name of the program in parentheses.
    const stat = read(`/proc/${of}/stat`);
    const [user = 0, system = 0] = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .slice(11, 13)
      .map(Number);
    times.set(of, Math.max(times.get(of) ?? 0, (user + system) * 10));
  };
  add("command", pid);
  for (const one of children) add("sandbox", one);
}

function read(file: string): string {
  try {
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  } catch {
    // The process has ended meanwhile.
    return "";
  }
}
