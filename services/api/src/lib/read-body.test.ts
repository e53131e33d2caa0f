import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { decodeBody } from "./read-body.ts";

const MB = 1024 * 1024;

async function decode(sent: Buffer, bytesMax = 20 * MB) {
  const request = Object.assign(new PassThrough(), { headers: { "content-encoding": "gzip" } });
  const steps: number[] = [];
  const body = await decodeBody(request as unknown as IncomingMessage, sent, {
    bytesMax,
    onBytes: (bytes) => steps.push(bytes),
  });
  return { body, steps };
}

const textOf = (bytes: number) =>
  Buffer.from("a scan of many endpoints. ".repeat(bytes / 26 + 1)).subarray(0, bytes);

it.each([1, 2_000, 127 * 1024, 128 * 1024, 600_000, MB - 1, MB, 5 * MB])(
  "decodes %d bytes into memory that nothing shares, so that it can be freed at once",
  async (bytes) => {
    const text = textOf(bytes);
    const { body } = await decode(gzipSync(text, { level: 0 }));
    expect(body.equals(text)).toBe(true);
    expect(body.buffer.byteLength).toBe(bytes);
  },
);

it("decodes what a largest scan has in one step", async () => {
  const text = Buffer.from(Array.from({ length: 55_000 }, (_, n) => `endpoint ${n * 7919}`).join(","));
  expect(text.byteLength).toBeGreaterThan(900_000);
  expect((await decode(gzipSync(text))).steps).toHaveLength(1);
});

it("decodes a body of several members, whose last bytes claim less than all of it", async () => {
  const text = textOf(MB);
  const { body } = await decode(Buffer.concat([gzipSync(text), gzipSync("the end")]));
  expect(body.byteLength).toBe(MB + 7);
});

it.each([0, 1, 0xffffffff])("refuses a body that claims %d bytes and has others", async (claimed) => {
  const sent = gzipSync(textOf(600_000));
  sent.writeUInt32LE(claimed, sent.byteLength - 4);
  await expect(decode(sent)).rejects.toMatchObject({ code: "malformed_json" });
});

it("takes no memory at once for what a small body claims, and refuses it above the limit", async () => {
  const bomb = gzipSync(Buffer.alloc(50 * MB));
  expect(bomb.byteLength).toBeLessThan(60_000);
  await expect(decode(bomb, 10 * MB)).rejects.toMatchObject({ code: "payload_too_large" });
  const { steps } = await decode(gzipSync(Buffer.alloc(MB)));
  expect(Math.max(...steps)).toBeLessThanOrEqual(128 * 1024);
});
