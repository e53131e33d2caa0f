import type { Actor } from "@waymark/shared/api-keys/authorize.ts";
import type { JourneyChangeset } from "@waymark/shared/journeys/schema.ts";

/** A changeset and who sends it. */
export interface ChangesetRequest {
  actor: Actor;
  origin: "console" | "cli" | "api";
  changeset: JourneyChangeset;
  /** Null if the caller sent none. */
  idempotencyKey: string | null;
  /** An archived document that the only change brings back, instead of making a new one. */
  revivedId?: string;
}
