import { expect, it } from "vitest";
import { freeBytes, freeReserved } from "./free-bytes.ts";

const held = () => process.memoryUsage().arrayBuffers;

it("gives memory back at once", () => {
  const bytes = Buffer.alloc(1_000_000, 1);
  const before = held();
  freeBytes(bytes);
  expect(before - held()).toBeGreaterThanOrEqual(1_000_000);
  expect(bytes.byteLength).toBe(0);
});

it("gives back what was reserved and not used, where that is asked for", () => {
  const used = Buffer.alloc(1_000_000, 1).subarray(0, 900_000);
  const before = held();
  freeBytes(used);
  expect(used.byteLength).toBe(900_000);
  freeReserved(used);
  expect(before - held()).toBeGreaterThanOrEqual(1_000_000);
  expect(used.byteLength).toBe(0);
});

it.each([freeBytes, freeReserved])("leaves small bytes and their neighbours alone (%o)", (free) => {
  const texts = Array.from({ length: 50 }, (_, n) => `small ${n}`);
  const bytes = texts.map((text) => Buffer.from(text));
  for (const each of bytes) free(each);
  expect(bytes.map(String)).toEqual(texts);
});
