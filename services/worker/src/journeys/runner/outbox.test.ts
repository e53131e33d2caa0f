import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import type { FromRunner, SentStep } from "./messages.ts";
import { createOutbox } from "./outbox.ts";

const step = (seq: number): SentStep => ({
  seq,
  stepId: `s${seq}`,
  phase: "main",
  workflow: null,
  status: "passed",
  ms: 1,
  result: "{}",
  evidence: null,
});

it("sends a step, the state after it and the next one's begin as one message, when the event loop turns", async () => {
  const sent: FromRunner[] = [];
  const outbox = createOutbox((message) => sent.push(message));
  outbox.add({ steps: [step(0)], currentStep: null });
  outbox.add({ checkpoint: { number: 1, bytes: Buffer.from("one") } });
  outbox.add({ currentStep: "s1" });
  expect(sent).toEqual([]);
  await turn();
  const checkpoint = { number: 1, bytes: Buffer.from("one") };
  expect(sent).toEqual([
    { kind: "progress", steps: [step(0)], currentStep: "s1", checkpoint, isUrgent: false },
  ]);
  await turn();
  expect(sent).toHaveLength(1);
});

it("sends at once what a request waits for, once, also where everything has gone out", () => {
  const sent: FromRunner[] = [];
  const outbox = createOutbox((message) => sent.push(message));
  outbox.add({ steps: [step(0), step(1)], currentStep: "s2" });
  outbox.flush({ isUrgent: true });
  outbox.flush();
  outbox.flush({ isUrgent: true });
  expect(sent).toEqual([
    { kind: "progress", steps: [step(0), step(1)], currentStep: "s2", isUrgent: true },
    { kind: "progress", steps: [], currentStep: "s2", isUrgent: true },
  ]);
});
