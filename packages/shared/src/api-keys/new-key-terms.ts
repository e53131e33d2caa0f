import { AppError } from "../errors/app-error.ts";
import { containsApiKey } from "../lib/redact-api-keys.ts";
import { API_KEY_LIMITS, type ApiKeyScope, type CreateApiKeyRequest } from "./schema.ts";

/** What a request for a key comes to: scopes as they are stored, and the end of its life in UTC. */
export interface NewKeyTerms {
  name: string;
  scopes: ApiKeyScope[];
  expiresAt: Date | null;
}

/**
 * Turns a request that fits the contract into a key's terms.
 *
 * @throws AppError `validation_failed` for what the contract can't say: an expiry in the past, scopes too large to be
 * read with every request, an API key pasted into a field
 */
export function newKeyTerms(
  request: Pick<CreateApiKeyRequest, "name" | "scopes" | "expiresAt">,
  now: Date,
): NewKeyTerms {
  const scopes = request.scopes.map(toStoredScope);
  const json = JSON.stringify(scopes);
  if (Buffer.byteLength(json) > API_KEY_LIMITS.scopesBytesMax) {
    throw invalid("scopes", `must be at most ${API_KEY_LIMITS.scopesBytesMax} bytes of JSON together`);
  }
  // Name and scopes are shown to everybody who may read keys: a secret pasted there would be lost.
  if (containsApiKey(request.name)) throw invalid("name", "must not contain an API key");
  if (containsApiKey(json)) throw invalid("scopes", "must not contain an API key");
  return { name: request.name, scopes, expiresAt: toExpiry(request.expiresAt ?? null, now) };
}

/** A scope's id is ignored, and a null constraint says nothing. */
function toStoredScope(scope: CreateApiKeyRequest["scopes"][number]): ApiKeyScope {
  if (typeof scope === "string") return { permission: scope };
  const { id: _ignored, permission, resourceConstraints, ...constraints } = scope;
  const set = Object.fromEntries(Object.entries(constraints).filter(([, value]) => value !== null));
  return { permission, ...set, ...(resourceConstraints === undefined ? {} : { resourceConstraints }) };
}

function toExpiry(text: string | null, now: Date): Date | null {
  if (text === null) return null;
  const expiresAt = new Date(text);
  if (expiresAt <= now) throw invalid("expiresAt", "must be in the future");
  if (expiresAt.getUTCFullYear() > 9999) throw invalid("expiresAt", "must be before the year 10000 in UTC");
  return expiresAt;
}

function invalid(path: string, message: string): AppError {
  return new AppError("validation_failed", `The request does not fit the contract. ${path}: ${message}.`, {
    data: { details: [{ path, message }] },
  });
}
