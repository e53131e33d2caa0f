import { randomBytes } from "node:crypto";
import { zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { decodePayload, encodePayload } from "./payload-encoding.ts";
import { SCAN_LIMITS } from "./limits.ts";

describe("payload encoding", () => {
  it.each([
    ["an empty body", Buffer.alloc(0)],
    ["a small body", Buffer.from('{"a":"é😀"}')],
    ["a large repetitive body", Buffer.from("abc".repeat(100_000))],
    ["a body as large as any", Buffer.alloc(SCAN_LIMITS.bodyBytesMax, "abc")],
    ["bytes that can't be compressed", randomBytes(50_000)],
    ["many bytes that can't be compressed", randomBytes(1_000_000)],
  ])("gives %s back byte for byte", async (_name, body) => {
    expect((await decodePayload(await encodePayload(body))).equals(body)).toBe(true);
  });

  it("stores a scan's JSON in a fraction of its size", async () => {
    const body = Buffer.from(
      JSON.stringify(Array(2000).fill({ method: "GET", path: "/things", tags: ["a"] })),
    );
    const encoded = await encodePayload(body);
    expect(encoded.body.byteLength).toBeLessThan(body.byteLength / 5);
  });

  it("refuses stored bytes that are damaged or unpack to more than any request may have", async () => {
    const damaged = { body: Buffer.from("not zstd"), bodyEncoding: "rows" as const };
    await expect(decodePayload(damaged)).rejects.toThrow(/frame descriptor|prefix/i);
    const { body } = await encodePayload(randomBytes(5_000));
    body[3_000] = (body[3_000] ?? 0) ^ 1;
    await expect(decodePayload({ body, bodyEncoding: "rows" })).rejects.toThrow(/checksum/i);
    const bomb = zstdCompressSync(Buffer.alloc(SCAN_LIMITS.bodyBytesMax * 2 + 1));
    await expect(decodePayload({ body: bomb, bodyEncoding: "zstd" })).rejects.toThrow(/larger than/);
  });
});
