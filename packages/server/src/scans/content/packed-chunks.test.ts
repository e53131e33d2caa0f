import { constants, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { chunkedContent } from "@waymark/test-support/scans/chunked-payload.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { compressChunks, decompressChunks, packChunks, unpackChunks } from "./packed-chunks.ts";

const content = chunkedContent(scanPayload({ endpoints: 18, findings: 12 }));
const packed = content.pack(new Set([...content.endpointChunks, ...content.findingChunks]));

describe("packed chunks", () => {
  it("are a line for each chunk", () => {
    const texts = {
      endpoints: [Buffer.from('{"a":1},{"b":2}')],
      findings: [Buffer.from("{}"), Buffer.from("")],
    };
    expect(packChunks(texts).toString()).toBe('E{"a":1},{"b":2}\nF{}\nF\n');
    expect(packChunks({ endpoints: [], findings: [] })).toHaveLength(0);
    expect(unpackChunks(Buffer.alloc(0))).toEqual({ endpoints: [], findings: [] });
  });

  it("keep every text on its line, also one with line breaks", () => {
    const summary = "\n\r\n\u2028\u2029\u0085E{}\nF{}\n";
    const [first] = scanPayload({ endpoints: 1 }).endpoints;
    const endpoints = first === undefined ? [] : [{ ...first, path: summary, tags: [summary], summary }];
    const one = chunkedContent({ endpoints, findings: [] });
    const unpacked = unpackChunks(one.pack(new Set(one.endpointChunks)));
    expect(unpacked).toEqual({ endpoints: [{ id: one.endpointChunks[0], items: endpoints }], findings: [] });
  });

  it("are refused if they are cut off inside a line", () => {
    for (let bytes = 1; bytes < packed.byteLength; bytes++) {
      const part = packed.subarray(0, bytes);
      if (part.at(-1) === 0x0a) continue;
      expect(() => unpackChunks(part)).toThrow(/cut off/);
    }
  });

  it.each(["G{}\n", "{}\n", "e{}\n", "\n", " E{}\n", "E{}\n\n", "\0{}\n"])(
    "are refused where a line is neither endpoints nor findings: %j",
    (text) => {
      expect(() => unpackChunks(Buffer.from(text))).toThrow(/neither|JSON/);
    },
  );

  it.each(["E{\n", "F[}\n", "E{}{}\n"])("are refused where a line is not JSON: %j", (text) => {
    expect(() => unpackChunks(Buffer.from(text))).toThrow(SyntaxError);
  });
});

describe("compressed chunks", () => {
  it("are smaller, and unchanged after decompression", async () => {
    for (const chunks of [packed, Buffer.alloc(0)])
      expect(decompressChunks(await compressChunks(chunks))).toEqual(chunks);
    expect((await compressChunks(packed)).byteLength).toBeLessThan(packed.byteLength / 2);
  });

  it("never decompress to other chunks if a bit is changed", async () => {
    const stored = await compressChunks(packed);
    for (let bit = 0; bit < stored.byteLength * 8; bit++) {
      const damaged = Buffer.from(stored);
      damaged.writeUInt8(damaged.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      // A few bits don't influence the result.
      expect([undefined, packed.toString()]).toContain(decompressOrRefuse(damaged)?.toString());
    }
  });

  it("never decompress to other chunks if bytes are missing", async () => {
    const stored = await compressChunks(packed);
    for (let bytes = 0; bytes < stored.byteLength; bytes++) {
      expect(decompressOrRefuse(stored.subarray(0, bytes))?.toString() ?? "").toBe("");
    }
  });

  it("have a checksum, without which damage would not be detected", async () => {
    const params = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 };
    const without = zstdCompressSync(packed, { params: { [constants.ZSTD_c_compressionLevel]: 1 } });
    expect(zstdCompressSync(packed, { params }).byteLength).toBe(without.byteLength + 4);
    expect((await compressChunks(packed)).byteLength).toBe(without.byteLength + 4);
  });

  it("don't decompress to more than a request can contain", async () => {
    const tooLarge = await compressChunks(Buffer.alloc(20 * 1024 * 1024 + 1));
    expect(() => decompressChunks(tooLarge)).toThrow(/larger than/);
    expect(decompressChunks(await compressChunks(Buffer.alloc(20 * 1024 * 1024)))).toHaveLength(
      20 * 1024 * 1024,
    );
  });
});

function decompressOrRefuse(stored: Buffer): Buffer | undefined {
  try {
    return decompressChunks(stored);
  } catch {
    return undefined;
  }
}
