import { createHash } from "node:crypto";

/** SHA-256 in hexadecimal, by the platform: on an artifact four times as fast as in JavaScript that is not warm yet. */
export function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}
