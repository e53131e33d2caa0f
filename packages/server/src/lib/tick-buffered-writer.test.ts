import { expect, it } from "vitest";
import { createTickBufferedWriter } from "./tick-buffered-writer.ts";

function setUp() {
  const written: string[] = [];
  return { written, stream: createTickBufferedWriter({ write: (text) => written.push(text) }) };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

it("writes the lines of one tick together, in their order, and those of the next tick separately", async () => {
  const { written, stream } = setUp();
  stream.write("a\n");
  stream.write("b\n");
  expect(written).toEqual([]);
  await turn();
  stream.write("c\n");
  await turn();
  expect(written).toEqual(["a\nb\n", "c\n"]);
});

it("writes a large amount immediately, and each line once", async () => {
  const { written, stream } = setUp();
  const line = `${"x".repeat(40_000)}\n`;
  stream.write(line);
  stream.write(line);
  expect(written).toEqual([line + line]);
  stream.write("last\n");
  stream.flushSync();
  await turn();
  expect(written).toEqual([line + line, "last\n"]);
});
