import { z } from "zod";
import { ApiKeyScope, PrincipalSummary } from "../api-keys/schema.ts";
import { IsoDateTime, text, Uuid } from "../lib/schema.ts";

/** Signs a browser in: the api exchanges the key for a session cookie and doesn't keep it. */
export const CreateSessionRequest = z
  .strictObject({
    // People paste keys with line breaks or spaces around them.
    apiKey: text({ max: 200 })
      .trim()
      .refine((key) => /^\S+$/.test(key), "must be one API key, without white space in it"),
  })
  .meta({ id: "CreateSessionRequest" });

/** The signed-in key and its scopes. */
export const Session = z
  .object({
    organizationId: Uuid,
    organizationName: z.string(),
    apiKeyId: Uuid,
    apiKeyName: z.string(),
    principal: PrincipalSummary.nullable().meta({
      description: "The user or the service account to which the key belongs. Null for other keys.",
    }),
    email: z.string().nullable().meta({
      description: "The e-mail address of the user to whom the key belongs. Null for other keys.",
    }),
    scopes: z.array(ApiKeyScope),
    identityProviderId: Uuid.nullable().meta({
      description: "The identity provider by which the session was opened. Null for one that a key opened.",
    }),
    expiresAt: IsoDateTime.nullable().meta({
      description: "When the session expires, unless its key ends first. Null for a request with a key.",
    }),
  })
  .meta({ id: "Session" });
export type Session = z.infer<typeof Session>;
