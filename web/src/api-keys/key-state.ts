import type { ApiKey } from "@waymark/shared/api-keys/schema.ts";

/** The status that a key's badge shows. The API reports a disabled key as active, with `disabledAt` set. */
export function stateOf({ status, disabledAt }: ApiKey): ApiKey["status"] | "disabled" {
  return status === "active" && disabledAt !== null ? "disabled" : status;
}

/** The colour of each state's badge. */
export const KEY_STATE_COLORS = {
  active: "teal.9",
  disabled: "grape.9",
  expired: "gray.7",
  revoked: "red.9",
} as const;
