import { afterAll, describe, expect, test } from "vitest";
import { checkableSchema } from "@waymark/journeys/evaluation/schema-cost.ts";
import { EngineError, EvaluationLimit } from "@waymark/journeys/expressions/engine-error.ts";
import { createSandbox } from "./create-sandbox.ts";

const sandbox = createSandbox({ ms: 1_000, memoryMiB: 32 });

afterAll(() => {
  sandbox[Symbol.dispose]();
});

/** Endless for a backtracking engine. */
const EVIL = "^(a+)+$";
const EVIL_TEXT = `${"a".repeat(64)}!`;

describe("the sandbox", () => {
  test("returns the result of each operation", async () => {
    const schema = checkableSchema({}, { items: { pattern: "^a" } });
    expect(await sandbox.testRegex("^(?:ab)+$", "abab")).toBe(true);
    expect(await sandbox.selectJsonPath("$.a[?@ > 1]", { a: [1, 2n ** 60n, 3] })).toEqual([2n ** 60n, 3]);
    expect(await sandbox.locateJsonPath("$..b", { a: [{ b: 1 }] })).toEqual([["a", 0, "b"]]);
    expect(await sandbox.testXPath("/r/a = 'x'", "<r><a>x</a></r>")).toEqual({
      passed: true,
      selected: true,
    });
    expect(await sandbox.selectXPath("//a/@n", "<r><a n='1'/></r>")).toBe("1");
    expect(await sandbox.replaceXPath("//a", "<r><a>x</a></r>", "y")).toBe("<r><a>y</a></r>");
    expect(await sandbox.checkSchema(schema, ["a", "b"])).toMatchObject({
      faults: [{ pointer: "/1" }],
      more: 0,
    });
    expect(await sandbox.findProblem("jsonpath", "$[")).toMatch(/not valid/);
    expect(await sandbox.findProblem("xpath", "//a")).toBeUndefined();
  });

  test("reports what can't be applied", async () => {
    await expect(sandbox.selectJsonPath("$[", {})).rejects.toThrow(EngineError);
    await expect(sandbox.testXPath("//a", "<a")).rejects.toThrow(/not well-formed/);
  });

  test("ends an evaluation that takes too long, and continues with the next", async () => {
    const evil = sandbox.testRegex(EVIL, EVIL_TEXT);
    const next = sandbox.selectJsonPath("$.a", { a: 1 });
    await expect(evil).rejects.toThrow(EvaluationLimit);
    await expect(evil).rejects.toThrow("it took longer than 1,000 ms");
    expect(await next).toEqual([1]);
  });

  test("takes from a run's time what its own evaluation takes, and nothing while it waits for another run's", async () => {
    const hostile = { givenMs: 900, leftMs: 900 };
    const waiting = { givenMs: 60_000, leftMs: 60_000 };
    const patient = createSandbox({ ms: 60_000, memoryMiB: 32 });
    const evil = patient.within(hostile).testRegex(EVIL, EVIL_TEXT);
    const next = patient.within(waiting).selectJsonPath("$.a", { a: 1 });
    await expect(evil).rejects.toThrow(EvaluationLimit);
    expect(await next).toEqual([1]);
    expect(hostile.leftMs).toBeLessThanOrEqual(0);
    const taken = waiting.givenMs - waiting.leftMs;
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThan(hostile.givenMs);
    patient[Symbol.dispose]();
  });

  test("ends an evaluation that takes too much memory, also in a single allocation", async () => {
    const small = createSandbox({ ms: 8_000, memoryMiB: 16 });
    const doubles = Array.from({ length: 26 }, (_, n) => `let $a${n + 1} := concat($a${n}, $a${n}) return `);
    const query = `let $a0 := 'aaaaaaaaaa' return ${doubles.join("")}string-length($a26) = 1`;
    await expect(small.testXPath(query, "<r/>")).rejects.toThrow("it needed more than 16 MiB of memory");
    expect(await small.selectXPath("string(/r)", "<r>still</r>")).toBe("still");
    small[Symbol.dispose]();
  });

  test("runs cheap evaluations in the parent", async () => {
    const busy = createSandbox({ ms: 60_000, memoryMiB: 32 });
    // The result doesn't wait for the process.
    const evil = busy.testRegex(EVIL, EVIL_TEXT).catch(() => "ended");
    expect(await Promise.race([evil, busy.testRegex("^[a-z]+-\\d+$", "note-12")])).toBe(true);
    const cheap = checkableSchema({}, { anyOf: [{ type: "string" }, { type: "null" }] });
    expect(await Promise.race([evil, busy.checkSchema(cheap, null)])).toEqual({ faults: [], more: 0 });
    busy[Symbol.dispose]();
    expect(await evil).toBe("ended");
  });
});
