import { hash } from "node:crypto";

/** The first half of a SHA-256, as 32 hexadecimal digits, which Postgres accepts as a uuid. */
export type ContentId = string;

/** The id of a chunk, by the canonical text of its items, or of a snapshot, by its chunks. */
export function contentId(content: Buffer | string): ContentId {
  return hash("sha256", content, "hex").slice(0, 32);
}
