import { z } from "zod";
import { CreateSessionRequest, Session } from "./schema.ts";
import { operation } from "../operations/operation.ts";
import * as addresses from "./addresses.ts";

/** A key is 56 characters long. This body is unauthenticated, so its limit is low. */
const BODY_BYTES_MAX = 1024;

export const createSession = operation({
  id: "createSession",
  ...addresses.createSession,
  summary: "Sign a browser in",
  description:
    "Exchanges an API key for the cookie (HttpOnly, SameSite=Strict) of a new session, which the server stores and " +
    "ends: 12 hours after it was opened, earlier when it is not used, at once with DELETE and when its key is " +
    "revoked. White space around the key is ignored. A session that the browser had before ends.",
  tag: "session",
  access: "public",
  body: CreateSessionRequest,
  bodyBytesMax: BODY_BYTES_MAX,
  responses: { 200: Session },
  errors: [401, 403, 413, 415],
});

export const getSession = operation({
  id: "getSession",
  ...addresses.getSession,
  summary: "Read the current session",
  tag: "session",
  access: { needs: [] },
  responses: { 200: Session },
});

export const deleteSession = operation({
  id: "deleteSession",
  ...addresses.deleteSession,
  summary: "Sign a browser out",
  description:
    "Ends the session of the cookie, and removes the cookie. Works even if the session's key is no longer usable. " +
    "Without a cookie it does nothing.",
  tag: "session",
  access: "public",
  bodyBytesMax: BODY_BYTES_MAX,
  responses: { 200: z.object({}) },
  errors: [403],
});
