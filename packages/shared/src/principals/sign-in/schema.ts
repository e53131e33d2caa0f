import { z } from "zod";
import { text, Uuid } from "../../lib/schema.ts";
import { PRINCIPAL_LIMITS } from "../schema.ts";

export const SIGN_IN_LIMITS = {
  /** How long a person may take at the provider. */
  minutesMax: 10,
  /** How long ago a session must have signed in for what needs a recent sign-in. */
  recentMinutes: 15,
  /** The query of the redirect: a code, a state and an issuer. */
  callbackMax: 8_192,
  /** Sign-ins of an organization that have begun and not ended. */
  openMax: 10_000,
  logoutTokenMax: 16_384,
} as const;

export const SignInQuery = z.strictObject({
  for: text({ min: 1, max: PRINCIPAL_LIMITS.emailMax })
    .optional()
    .meta({ description: "An e-mail address, or the name or the id of an organization." }),
});

/** The ways to sign in. */
export const SignInOptions = z
  .object({
    keySignIn: z.boolean().meta({ description: "Whether an API key may be exchanged for a session." }),
    providers: z.array(z.object({ id: Uuid, displayName: z.string() })).meta({
      description:
        "The identity providers for what was asked. Without `for`: those of the only organization, and none if there are more organizations.",
    }),
  })
  .meta({ id: "SignInOptions" });
export type SignInOptions = z.infer<typeof SignInOptions>;

export const BeginSignInRequest = z
  .strictObject({
    identityProviderId: Uuid,
    loginHint: text({ min: 1, max: PRINCIPAL_LIMITS.emailMax })
      .optional()
      .meta({ description: "The e-mail address that the provider's form begins with." }),
    again: z.boolean().optional().meta({
      description: "True: the provider asks for the credentials again, for what needs a recent sign-in.",
    }),
  })
  .meta({ id: "BeginSignInRequest" });

export const BegunSignIn = z
  .object({
    authorizationUrl: z.string().meta({ description: "Where the browser goes on, at the provider." }),
  })
  .meta({ id: "BegunSignIn" });

export const CompleteSignInRequest = z
  .strictObject({
    identityProviderId: Uuid.meta({ description: "The provider that the address of the redirect names." }),
    query: text({ max: SIGN_IN_LIMITS.callbackMax }).meta({
      description: "The query of the redirect, without the question mark.",
    }),
  })
  .meta({ id: "CompleteSignInRequest" });

export const BackChannelLogoutRequest = z
  .object({ logout_token: text({ min: 1, max: SIGN_IN_LIMITS.logoutTokenMax }) })
  .meta({ id: "BackChannelLogoutRequest" });
