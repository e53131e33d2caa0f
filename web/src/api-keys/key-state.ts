import type { ApiKey } from "@waymark/shared/api-keys/schema.ts";

/** The status that a key's badge shows. The API reports a disabled key as active, with `disabledAt` set. */
export function stateOf({ status, disabledAt }: ApiKey): ApiKey["status"] | "disabled" {
  return status === "active" && disabledAt !== null ? "disabled" : status;
}
