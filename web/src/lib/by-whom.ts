import type { PrincipalSummary } from "@waymark/shared/api-keys/schema.ts";
import type { z } from "zod";

/**
 * Says who did something, after a time: `, by Ada`, or `, by key orders pipeline` for a key that belongs to nobody. Empty if neither is
 * known.
 */
export function byWhom(owner: z.infer<typeof PrincipalSummary> | null, keyName: string | undefined): string {
  if (owner?.displayName !== null && owner?.displayName !== undefined) return `, by ${owner.displayName}`;
  return keyName === undefined ? "" : `, by key ${keyName}`;
}
