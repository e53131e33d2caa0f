import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { answerJson, startFakeServer } from "../test-support/fake-server.ts";
import { send } from "./send.ts";

test("many requests over one kept connection print no warning of Node", async () => {
  const warnings: Error[] = [];
  const remember = (warning: Error) => warnings.push(warning);
  process.on("warning", remember);
  onTestFinished(() => void process.off("warning", remember));
  const server = await startFakeServer((_request, response) => answerJson(response, 200, {}));
  for (let n = 0; n < 20; n++) {
    const { status } = await send({
      method: "GET",
      url: new URL(server.url),
      headers: {},
      connectTimeoutMs: 60_000,
      totalTimeoutMs: 60_000,
      proxy: undefined,
      extraCa: undefined,
    });
    expect(status).toBe(200);
  }
  await setImmediate();
  expect(warnings).toEqual([]);
});
