import { z } from "zod";
import { Uuid } from "../../lib/schema.ts";
import { NoContent, operation } from "../../operations/operation.ts";
import * as addresses from "./addresses.ts";
import {
  BackChannelLogoutRequest,
  BeginSignInRequest,
  BegunSignIn,
  CompleteSignInRequest,
  SIGN_IN_LIMITS,
  SignInOptions,
  SignInQuery,
} from "./schema.ts";

const tag = "session";

export const listSignInOptions = operation({
  id: "listSignInOptions",
  ...addresses.listSignInOptions,
  summary: "List the ways to sign in",
  tag,
  access: "public",
  query: SignInQuery,
  responses: { 200: SignInOptions },
});

export const beginSignIn = operation({
  id: "beginSignIn",
  ...addresses.beginSignIn,
  summary: "Begin to sign in by an identity provider",
  description:
    `Sets a cookie (HttpOnly, SameSite=Strict) for ${SIGN_IN_LIMITS.minutesMax} minutes, to which the provider's response is bound. ` +
    "Accepted from the console's own pages only.",
  tag,
  access: "public",
  body: BeginSignInRequest,
  bodyBytesMax: 4_096,
  responses: { 201: BegunSignIn },
  errors: [401, 403, 404, 413, 415, 503],
});

export const completeSignIn = operation({
  id: "completeSignIn",
  ...addresses.completeSignIn,
  summary: "Sign a browser in by an identity provider's response",
  description:
    "Exchanges the code of the redirect, and opens a session whose cookie replaces the browser's previous one. The first sign-in makes the " +
    "user. Each sign-in that has begun can be completed once. Accepted from the console's own pages only.",
  tag,
  access: "public",
  body: CompleteSignInRequest,
  bodyBytesMax: 16_384,
  responses: { 204: NoContent },
  errors: [401, 403, 409, 413, 415, 503],
});

export const logOutByProvider = operation({
  id: "logOutByProvider",
  ...addresses.logOutByProvider,
  summary: "End sessions that an identity provider has ended",
  description:
    "OpenID Connect Back-Channel Logout. A logout token ends the sessions of the provider's session (sid), or all of the person (sub), that " +
    "signed in before it was issued.",
  tag,
  access: "public",
  params: z.object({ identityProviderId: Uuid }),
  body: BackChannelLogoutRequest,
  bodyBytesMax: 32 * 1024,
  responses: { 200: z.object({}) },
  errors: [413, 415, 503],
});
