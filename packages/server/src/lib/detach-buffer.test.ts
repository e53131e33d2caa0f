import { expect, it } from "vitest";
import { detachOwnedBuffer } from "./detach-buffer.ts";

const held = () => process.memoryUsage().arrayBuffers;

it("frees memory immediately", () => {
  const bytes = Buffer.alloc(1_000_000, 1);
  const before = held();
  detachOwnedBuffer(bytes);
  expect(before - held()).toBeGreaterThanOrEqual(1_000_000);
  expect(bytes.byteLength).toBe(0);
});

it("doesn't change buffers that share their memory", () => {
  const part = Buffer.alloc(1_000_000, 1).subarray(0, 900_000);
  detachOwnedBuffer(part);
  expect(part.byteLength).toBe(900_000);
  const texts = Array.from({ length: 50 }, (_, n) => `small ${n}`);
  const bytes = texts.map((text) => Buffer.from(text));
  bytes.forEach(detachOwnedBuffer);
  expect(bytes.map(String)).toEqual(texts);
});
