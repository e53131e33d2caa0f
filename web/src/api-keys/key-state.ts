import type { ApiKey } from "@waymark/shared/api-keys/schema.ts";

/** What a key's badge says: a disabled key is active to the interface, and yet refused. */
export function stateOf({ status, disabledAt }: ApiKey): ApiKey["status"] | "disabled" {
  return status === "active" && disabledAt !== null ? "disabled" : status;
}
