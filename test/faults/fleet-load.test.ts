import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { type ProcessStack, startProcessStack } from "@waymark/test-support/stack.ts";
import { percentile, recordFigures } from "./support/figures.ts";
import { HEAP_PROBE_OPTIONS, liveHeapMiB } from "./support/live-heap.ts";
import { watchMemory } from "./support/memory.ts";
import { type Reckoning, reckon } from "./support/recount.ts";
import { scaled } from "@waymark/test-support/scale.ts";
import type { SentScan } from "./support/scan-stream.ts";
import { inParallel, submitScan, untilAllFinal } from "./support/submit.ts";

const SCANS = scaled({ short: 1_000, long: 20_000 });
const CLIENTS = 200;
const ROUNDS = 4;
/** The live memory may differ by this much between rounds, but not grow with each scan. */
const LIVE_GROWTH_MIB_MAX = 6;
/** Limit of the process's resident memory, which includes garbage that is not collected yet. */
const RESIDENT_MIB_MAX = 600;

let stack: ProcessStack;
beforeAll(async () => {
  stack = await startProcessStack({ queue: "redis", apiEnv: { NODE_OPTIONS: HEAP_PROBE_OPTIONS } });
});
afterAll(() => stack[Symbol.asyncDispose]());

interface Load {
  sent: SentScan[];
  statuses: Record<number, number>;
  /** Responses other than 201, and 429 or 503 with `Retry-After`. */
  wrong: string[];
  timesMs: number[];
}

async function sendUntilAccepted(number: number, { sent, statuses, wrong, timesMs }: Load): Promise<void> {
  // Two of three repeat an earlier scan of the service.
  const seed = number % 3 === 0 ? `new ${number}` : `known ${number % 50}`;
  const payload = scanPayload({ serviceName: `fleet ${number % 50}`, seed });
  const begun = performance.now();
  let answer = await submitScan(stack, payload);
  sent.push(answer.sent);
  for (;;) {
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    if (answer.status === 201) break;
    const refused = (answer.status === 503 || answer.status === 429) && Number(answer.retryAfter) > 0;
    if (!refused) {
      wrong.push(`${answer.status} ${answer.text}`);
      break;
    }
    await sleep(Math.min(Number(answer.retryAfter), 5) * 1000);
    answer = await submitScan(stack, payload, answer.sent);
  }
  timesMs.push(performance.now() - begun);
}

it(
  `${SCANS} scans of ${CLIENTS} clients at once: none is lost, none refused but with Retry-After, memory stays flat`,
  { timeout: scaled({ short: 300_000, long: 2_400_000 }) },
  async () => {
    const load: Load = { sent: [], statuses: {}, wrong: [], timesMs: [] };
    const liveMiB: number[] = [];
    let seconds = 0;
    const memory = watchMemory(stack.api.pid, 50);
    for (let round = 0; round < ROUNDS; round++) {
      const total = SCANS / ROUNDS;
      const start = performance.now();
      await inParallel({ total, atOnce: CLIENTS }, (n) => sendUntilAccepted(round * total + n, load));
      seconds += (performance.now() - start) / 1000;
      liveMiB.push(await liveHeapMiB(stack.api));
    }
    const residentMiB = Math.max(...memory.stop());
    const finalMs = await untilAllFinal(stack, { limitMs: 90_000 });
    const result = await reckon(stack, load.sent);
    record(load, result, { seconds, finalMs, liveMiB, residentMiB });

    expect(load.wrong).toEqual([]);
    expect(result).toMatchObject({
      accepted: SCANS,
      stored: SCANS,
      completed: SCANS,
      acceptedAndLost: 0,
      duplicates: 0,
      falseCompleted: 0,
      wrongCurrent: 0,
    });
    expect(Math.max(...liveMiB.slice(1)) - (liveMiB[0] ?? 0)).toBeLessThan(LIVE_GROWTH_MIB_MAX);
    expect(residentMiB).toBeLessThan(RESIDENT_MIB_MAX);
  },
);

function record(
  { statuses, wrong, timesMs }: Load,
  result: Reckoning,
  measured: { seconds: number; finalMs: number; liveMiB: number[]; residentMiB: number },
): void {
  recordFigures("Fleet load", {
    "scans sent": SCANS,
    "clients at once": CLIENTS,
    ...Object.fromEntries(Object.entries(statuses).map(([status, count]) => [`answers ${status}`, count])),
    "other answers, or refusals without Retry-After": wrong.length,
    "scans a second": Math.round(SCANS / measured.seconds),
    "ingest (ms, p50)": Math.round(percentile(timesMs, 0.5)),
    "ingest (ms, p99)": Math.round(percentile(timesMs, 0.99)),
    accepted: result.accepted,
    "accepted and lost": result.acceptedAndLost,
    "duplicate rows": result.duplicates,
    "false completed": result.falseCompleted,
    "all completed after the last answer (ms)": measured.finalMs,
    ...Object.fromEntries(
      measured.liveMiB.map((mib, n) => [
        `api memory held after ${((n + 1) * SCANS) / ROUNDS} scans (MiB, collected)`,
        mib,
      ]),
    ),
    "api memory, most (MiB, resident)": measured.residentMiB,
  });
}
