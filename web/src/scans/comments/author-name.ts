import type { ScanRunComment } from "@waymark/shared/scans/run-comments/schema.ts";

/** Names who wrote a comment: a person or a service account, or the key. */
export function authorName(
  { author, createdByKeyId }: Pick<ScanRunComment, "author" | "createdByKeyId">,
  keyNames: ReadonlyMap<string, string> | undefined,
): string {
  const keyName = keyNames?.get(createdByKeyId);
  return author?.displayName ?? (keyName === undefined ? "A key" : `Key ${keyName}`);
}
