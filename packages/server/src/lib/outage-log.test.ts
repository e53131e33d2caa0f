import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { createLogger } from "./logger.ts";
import { createOutageLog } from "./outage-log.ts";

function setUp() {
  const lines: string[] = [];
  const logger = createLogger({ service: "api", level: "info" }, { write: (line) => void lines.push(line) });
  const clock = { ms: 0 };
  const outage = createOutageLog(logger, { what: "the queue", quietMs: 1, now: () => clock.ms });
  const messages = () => lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
  return { clock, outage, messages };
}

it("an outage is one line at its start, a reminder a minute, and one line at its end", async () => {
  const { clock, outage, messages } = setUp();
  outage.recovered();
  for (let tenths = 0; tenths < 1_500; tenths++) {
    clock.ms = tenths * 100;
    outage.failed(new Error("connect ECONNREFUSED"));
  }
  outage.recovered();
  outage.recovered();
  await expect.poll(() => messages().at(-1)).toBe("the queue can be reached again");
  outage.recovered();
  await sleep(5);
  expect(messages()).toEqual([
    "the queue can't be reached",
    "the queue still can't be reached",
    "the queue still can't be reached",
    "the queue can be reached again",
  ]);
});

it("a connection that fails after another has recovered does not start another outage", async () => {
  const { outage, messages } = setUp();
  outage.failed(new Error("of one connection"));
  outage.recovered();
  outage.failed(new Error("of the other"));
  await sleep(5);
  expect(messages()).toEqual(["the queue can't be reached"]);
  outage.recovered();
  await expect.poll(messages).toEqual(["the queue can't be reached", "the queue can be reached again"]);
  outage.failed(new Error("later"));
  expect(messages()).toHaveLength(3);
});
