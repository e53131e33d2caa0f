import { detachOwnedBuffer } from "@waymark/shared/lib/detach-buffer.ts";

const SMALL_BYTES = 1024;
const PAGE_BYTES = 4096;

export interface BodyChunks {
  add(chunk: Buffer): void;
  /** All of it as one piece. Nothing can be added afterwards. */
  joined(): Buffer;
}

/**
 * Collects the pieces of a body. Small ones are copied together: a client may send every byte as a chunk of its own,
 * and each is an object of 400 bytes, so that 18 MB on the wire would hold more than a gigabyte.
 */
export function createBodyChunks(): BodyChunks {
  const chunks: Buffer[] = [];
  let page: Buffer | undefined;
  let used = 0;

  function closePage(): void {
    // Memory of its own, or else giving it back would take the pool that all small buffers share.
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
      // One chunk is the body already. Others are of no use to anybody once they are copied.
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
