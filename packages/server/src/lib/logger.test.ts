import { describe, expect, it } from "vitest";
import { runNode } from "@waymark/test-support/run-node.ts";
import { createLogger } from "./logger.ts";

const SECRET = "Zyxwvutsrqponmlkjihgfedcba9876543210AbCdEf";
const KEY = `wmk_AbCdEf012345_${SECRET}`;
const HEADER = `Bearer ${KEY}`;
const OTHERS = ["Basic dXNlcjpodW50ZXIy", "Bearer eyJhbGciOi.J9.hunter2", "session=hunter2; other=hunter2"];

/** The output of a logger for one call. */
function linesOf(write: (logger: ReturnType<typeof createLogger>) => void): string {
  let written = "";
  write(createLogger({ service: "api", level: "trace" }, { write: (line) => void (written += line) }));
  return written;
}

const deep = (value: unknown) => ({ a: { b: { c: [{ d: value }] } } });
const errorWith = (message: string) => Object.assign(new Error(message), { cause: new Error(message) });

const PLACES: Record<string, (logger: ReturnType<typeof createLogger>, header: string) => void> = {
  "a request with its headers": (logger, h) =>
    logger.info({ req: { headers: { authorization: h, cookie: h } } }),
  "headers at any depth": (logger, h) => logger.info(deep({ Authorization: h, "set-cookie": [h] })),
  "a list of raw headers": (logger, h) => logger.info({ rawHeaders: ["Host", "x", "Cookie", h] }),
  "an error's message, stack and cause": (logger, h) =>
    logger.error({ err: errorWith(`refused: Cookie ${h}`) }),
  "a message": (logger, h) => logger.warn(`Authorization: ${h}`),
  "JSON as text": (logger, h) => logger.warn({ text: JSON.stringify({ authorization: h, cookie: h }) }),
  "a child's fields": (logger, h) => logger.child({ apiKey: h, headers: { cookie: h } }).info("x"),
};

describe("a log line", () => {
  it.each(Object.keys(PLACES))("contains no API key in %s", (place) => {
    const line = linesOf((logger) => PLACES[place]?.(logger, HEADER));
    expect(line).toContain("[redacted]");
    expect(line).not.toContain(SECRET);
    expect(JSON.parse(line)).toMatchObject({ name: "waymark-api" });
  });

  it.each(OTHERS)("contains no other credential: %s", (header) => {
    for (const place of [
      "a request with its headers",
      "headers at any depth",
      "a list of raw headers",
      "JSON as text",
    ]) {
      const line = linesOf((logger) => PLACES[place]?.(logger, header));
      const fields: unknown = JSON.parse(line);
      expect({ place, fields, leak: /hunter2|dXNlcjpodW50ZXIy/.exec(line)?.[0] }).toMatchObject({
        leak: undefined,
      });
    }
  });

  it("contains no login of Redis, which its errors have, also those of a cluster", () => {
    const refused = (password: string) =>
      Object.assign(new Error("WRONGPASS"), { command: { name: "auth", args: ["waymark", password] } });
    for (const password of ["hunter2", 'a "hunter2] \\'])
      for (const err of [
        refused(password),
        Object.assign(new Error("no node"), { lastNodeError: refused(password) }),
      ]) {
        const line = linesOf((logger) => logger.error({ err }, "the queue can't be reached"));
        expect(line).not.toContain("hunter2");
        expect(JSON.parse(line)).toMatchObject({ msg: "the queue can't be reached" });
      }
  });

  it("contains no key in an address, and no database password", () => {
    const line = linesOf((logger) =>
      logger.info({ url: `/api?key=${KEY}`, database: "postgres://waymark:hunter2@db:5432/waymark" }),
    );
    expect(line).not.toMatch(/Zyxwvuts|hunter2/);
    expect(line).toContain("postgres://waymark:[redacted]@db:5432/waymark");
  });

  it("keeps everything that is not a credential", () => {
    const fields = {
      method: "POST",
      url: "/api/scans/ingest",
      scanRunId: "0198c2f0-0000-7000-8000-000000000000",
    };
    expect(JSON.parse(linesOf((logger) => logger.info(fields, "request")))).toMatchObject(fields);
  });
});

describe("a process that ends at once after its last line", () => {
  const run = (end: string) => {
    const logger = new URL("logger.ts", import.meta.url).href;
    const code = `import { createLogger } from ${JSON.stringify(logger)};
      const logger = createLogger({ service: "api", level: "info" });
      logger.info("the first");
      logger.info("the last");
      ${end}`;
    return runNode(["--input-type=module", "--eval", code], {});
  };

  it.each(["", "process.exit(0);", "logger.fatal('the end'); process.reallyExit(0);"])(
    "has written it: %s",
    async (end) => {
      const lines = (await run(end)).trim().split("\n");
      expect(lines.slice(0, 2).map((line): unknown => JSON.parse(line))).toMatchObject([
        { msg: "the first" },
        { msg: "the last" },
      ]);
    },
  );

  it("has written it after an uncaught error", async () => {
    await expect(run("throw new Error('nobody catches this');")).rejects.toThrow(
      /the last[^]*nobody catches this/,
    );
  });
});
