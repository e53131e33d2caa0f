import { createHash } from "node:crypto";

/** SHA-256 in hexadecimal, by the platform: for an artifact four times as fast as JavaScript that isn't optimized yet. */
export function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}
