import { describe, expect, it } from "vitest";
import { createCompiler } from "./compiler.ts";
import { CompilerChild, DocumentLimit } from "./compiler-child.ts";
import { createBudget, processorTimeMs } from "./time-budget.ts";

const LIMITS = { ms: 100, wallMs: 400 };

/** Returns the answers of a budget to a process that uses so much processor time each time. */
function answers(uses: readonly (number | undefined)[], taskLeftMs = () => 10_000) {
  let used: number | undefined = 7;
  const budget = createBudget(LIMITS, { processorMs: () => used, taskLeftMs });
  const first = budget.begin();
  return [
    first,
    ...uses.map((each) => {
      used = each === undefined || used === undefined ? undefined : used + each;
      return budget.extend();
    }),
  ];
}

describe("the time that a document may take", () => {
  it.each<[string, (number | undefined)[], (number | string)[]]>([
    ["ends with its processor time", [100], [100, "it took more than 100 ms of processor time"]],
    [
      "is longer where others use the processors",
      [30, 40, 30],
      [100, 70, 50, "it took more than 100 ms of processor time"],
    ],
    [
      "ends where it gets no processor at all",
      [0, 0, 0, 0],
      [100, 100, 100, 100, "it took longer than 400 ms"],
    ],
    [
      "is not longer where nothing tells the processor time",
      [undefined],
      [100, "it took longer than 100 ms"],
    ],
  ])("%s", (_name, uses, expected) => {
    expect(answers(uses)).toEqual(expected);
  });

  it("ends with that of all documents together", () => {
    const left = [60, 20, 0];
    expect(answers([0, 0], () => left.shift() ?? 0)).toEqual([60, 20, "it took longer than 80 ms"]);
  });
});

describe("the processor time of a process", () => {
  it.runIf(process.platform === "linux")("grows while it works", () => {
    const before = processorTimeMs(process.pid) ?? 0;
    let now = before;
    for (let rounds = 0; rounds < 1_000_000 && now === before; rounds++)
      now = processorTimeMs(process.pid) ?? 0;
    expect(now).toBeGreaterThan(before);
  });

  it("is unknown for one that has ended", () => {
    expect(processorTimeMs(2 ** 30)).toBeUndefined();
    expect(processorTimeMs(undefined)).toBeUndefined();
  });
});

describe("a document that takes longer than its processor time", () => {
  const limits = { ms: 1, wallMs: 60_000, taskMs: 60_000, memoryMiB: 256 };
  async function examineWith(processorMs: () => number | undefined) {
    using compiler = createCompiler({
      processes: 1,
      limits,
      createChild: (limited) => new CompilerChild(limited, processorMs),
    });
    const read = async () => Buffer.from(`openapi: 3.1.0\nx: [${"a,".repeat(50_000)}]\n`);
    const documents = [{ path: "a.yaml", kind: null }];
    const [result] = await compiler.run("examine", { organizationId: "a", documents, read });
    return result;
  }

  it("is read where others used the processors, and refused where it used them itself", async () => {
    expect(await examineWith(() => 0)).toMatchObject({ kind: "openapi" });
    let used = 0;
    const refused = await examineWith(() => (used += 1_000));
    expect(refused).toBeInstanceOf(DocumentLimit);
    expect(refused).toMatchObject({ message: "it took more than 1 ms of processor time" });
  });
});
