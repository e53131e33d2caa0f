import { z } from "zod";
import { ApiKeyScope } from "../api-keys/schema.ts";
import { IsoDateTime, Uuid } from "../lib/schema.ts";

/** Signs a browser in: the key is exchanged for a session's cookie and never kept. */
export const CreateSessionRequest = z
  .strictObject({
    // As people paste it: with a line break behind it, or spaces around.
    apiKey: z
      .string()
      .max(200)
      .trim()
      .refine((key) => /^\S+$/.test(key), "must be one API key, without white space in it"),
  })
  .meta({ id: "CreateSessionRequest" });

/** Who is signed in, and what that key may do. */
export const Session = z
  .object({
    organizationId: Uuid,
    apiKeyId: Uuid,
    scopes: z.array(ApiKeyScope),
    expiresAt: IsoDateTime.nullable().meta({
      description: "When the session ends, if its key does not end before. Null for a request with a key.",
    }),
  })
  .meta({ id: "Session" });
export type Session = z.infer<typeof Session>;
