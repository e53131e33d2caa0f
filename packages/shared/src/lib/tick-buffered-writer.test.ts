import { expect, it } from "vitest";
import { createTickBufferedWriter } from "./tick-buffered-writer.ts";

function setUp() {
  const written: string[] = [];
  return { written, stream: createTickBufferedWriter({ write: (text) => written.push(text) }) };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

it("writes the lines of one turn together, in their order, and those of the next by themselves", async () => {
  const { written, stream } = setUp();
  stream.write("a\n");
  stream.write("b\n");
  expect(written).toEqual([]);
  await turn();
  stream.write("c\n");
  await turn();
  expect(written).toEqual(["a\nb\n", "c\n"]);
});

it("writes what is much at once, and each line once", async () => {
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
