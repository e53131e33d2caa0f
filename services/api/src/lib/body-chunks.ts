import { detachOwnedBuffer } from "@waymark/server/lib/detach-buffer.ts";

const SMALL_BYTES = 1024;
const PAGE_BYTES = 4096;

export interface BodyChunks {
  add(chunk: Buffer): void;
  /** The complete body as one buffer. Nothing can be added afterwards. */
  joined(): Buffer;
}

/**
 * Collects the chunks of a body. Copies small ones together: a client may send every byte as its own chunk, each an object
 * of 400 bytes, so that 18 MB on the wire would take more than a gigabyte.
 */
export function createBodyChunks(): BodyChunks {
  const chunks: Buffer[] = [];
  let page: Buffer | undefined;
  let used = 0;

  function closePage(): void {
    // Unpooled memory, because detaching it would otherwise detach the pool that all small buffers share.
    if (page !== undefined && used > 0) chunks.push(copyOf(page.subarray(0, used)));
    used = 0;
  }

  return {
    add(chunk) {
      if (chunk.byteLength >= SMALL_BYTES) {
        closePage();
        chunks.push(chunk);
        return;
      }
      if (used + chunk.byteLength > PAGE_BYTES) closePage();
      page ??= Buffer.allocUnsafeSlow(PAGE_BYTES);
      used += chunk.copy(page, used);
    },
    joined() {
      closePage();
      page = undefined;
      // A single chunk is the body itself. Otherwise nothing uses the chunks after copying.
      const [first] = chunks;
      if (chunks.length === 1 && first !== undefined) return first;
      const body = Buffer.concat(chunks);
      chunks.forEach(detachOwnedBuffer);
      return body;
    },
  };
}

function copyOf(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.byteLength);
  bytes.copy(copy);
  return copy;
}
