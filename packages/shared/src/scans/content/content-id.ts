import { hash } from "node:crypto";

/** The first half of a SHA-256, as 32 hexadecimal digits: what Postgres takes for a uuid. */
export type ContentId = string;

/** Names a chunk by the canonical text of its items, or a snapshot by what it consists of. */
export function contentId(content: Buffer | string): ContentId {
  return hash("sha256", content, "hex").slice(0, 32);
}
