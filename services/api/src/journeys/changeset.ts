import type { Actor } from "@waymark/shared/api-keys/authorize.ts";
import type { DocumentChange, JourneyChangeset } from "@waymark/shared/journeys/schema.ts";

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

/** A change with its text, which was sent or is the description of a scan run. */
export interface TextChange extends Omit<DocumentChange, "text" | "description"> {
  /** Null archives the document. */
  text: string | null;
  /** The service of the scan run; undefined for a text that was sent. */
  serviceId?: string;
}
