import { boundedCache } from "../evaluation/bounded-cache.ts";

/** Names of secrets, in lower case. */
const TELLING_WORDS = new Set([
  "apikey",
  "authtoken",
  "accesstoken",
  "clientsecret",
  "credential",
  "credentials",
  "csrftoken",
  "idtoken",
  "jsessionid",
  "jwt",
  "otp",
  "passcode",
  "passphrase",
  "passwd",
  "password",
  "phpsessid",
  "pwd",
  "refreshtoken",
  "secret",
  "sessionid",
  "token",
]);

/** Words that make a following `key` or `id` a secret. */
const TELLING_PAIRS: Record<string, ReadonlySet<string>> = {
  key: new Set([
    "access",
    "api",
    "auth",
    "encryption",
    "master",
    "private",
    "secret",
    "session",
    "shared",
    "signing",
  ]),
  id: new Set(["session"]),
};

/** Tokens that only mark a position in a list. */
const PAGING = new Set(["continuation", "next", "nextpage", "page", "prev", "previous", "sync"]);

/** The values of these headers are always credentials. */
const CREDENTIAL_HEADERS = new Set([
  "authorization",
  "proxy-authorization",
  "cookie",
  "set-cookie",
  "cookie2",
]);

/** A fast check whether a text can contain such a name. */
export const MAY_TELL_SECRET = /credential|jwt|key|otp|pass|pwd|secret|sess|token/i;

/** Every message has the same names. */
const NAMES_KEPT = 5_000;
const NAME_LENGTH_MAX = 100;

const knownTells = boundedCache(NAMES_KEPT, lastWordTells);
const knownHeaders = boundedCache(
  NAMES_KEPT,
  (name) => CREDENTIAL_HEADERS.has(name.toLowerCase()) || tellsSecret(name),
);

/**
 * Whether a field, parameter or output holds a secret by its name: `password`, `access_token`, `X-Api-Key`. The last word
 * decides, so that `token_type` and `passwordResetAt` are none.
 */
export function tellsSecret(name: string): boolean {
  return name.length <= NAME_LENGTH_MAX && MAY_TELL_SECRET.test(name) && knownTells(name);
}

/** Whether the values of a header are credentials. */
export function isCredentialHeader(name: string): boolean {
  return name.length <= NAME_LENGTH_MAX && knownHeaders(name);
}

function lastWordTells(name: string): boolean {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== "");
  const [before = "", last = ""] = [words.at(-2), words.at(-1)];
  if (last === "token" && PAGING.has(before)) return false;
  return (
    TELLING_WORDS.has(last) ||
    (Object.hasOwn(TELLING_PAIRS, last) && TELLING_PAIRS[last]?.has(before) === true)
  );
}
