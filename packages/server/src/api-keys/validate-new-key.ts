import { AppError } from "@waymark/shared/errors/app-error.ts";
import { containsApiKey } from "@waymark/shared/lib/redact-api-keys.ts";
import { parseNetwork } from "./networks.ts";
import {
  API_KEY_LIMITS,
  type ApiKeyScope,
  type CreateApiKeyRequest,
} from "@waymark/shared/api-keys/schema.ts";

const DAY_MS = 24 * 3600 * 1000;
const CLOCKS_DIFFER_MS = 60_000;

/** The validated properties of a new key: scopes as they are stored, and the expiry in UTC. */
export interface ValidatedNewKey {
  name: string;
  scopes: ApiKeyScope[];
  expiresAt: Date | null;
  allowedNetworks: string[] | null;
}

/**
 * Validates a request for a key that matches the schema.
 *
 * @throws AppError `validation_failed` for faults that the schema can't detect: an expiry in the past or later than the
 * operator allows, scopes too large to be read with every request, an API key pasted into a field, an invalid network
 */
export function validateNewKey(
  request: Pick<CreateApiKeyRequest, "name" | "scopes" | "expiresAt" | "allowedNetworks">,
  { now, lifetimeDaysMax }: { now: Date; lifetimeDaysMax: number | undefined },
): ValidatedNewKey {
  const scopes = request.scopes.map(toStoredScope);
  const json = JSON.stringify(scopes);
  if (Buffer.byteLength(json) > API_KEY_LIMITS.scopesBytesMax) {
    throw invalid("scopes", `must be at most ${API_KEY_LIMITS.scopesBytesMax} bytes of JSON together`);
  }
  // Every caller with `api-keys:read` sees name and scopes, so a secret pasted there would leak.
  if (containsApiKey(request.name)) throw invalid("name", "must not contain an API key");
  if (containsApiKey(json)) throw invalid("scopes", "must not contain an API key");
  return {
    name: request.name,
    scopes,
    expiresAt: toExpiry(request.expiresAt ?? null, now, lifetimeDaysMax),
    allowedNetworks: toNetworks(request.allowedNetworks ?? null),
  };
}

/** Drops a scope's id and null constraints. */
function toStoredScope(scope: CreateApiKeyRequest["scopes"][number]): ApiKeyScope {
  if (typeof scope === "string") return { permission: scope };
  const { id: _ignored, permission, resourceConstraints, ...constraints } = scope;
  const set = Object.fromEntries(Object.entries(constraints).filter(([, value]) => value !== null));
  return { permission, ...set, ...(resourceConstraints === undefined ? {} : { resourceConstraints }) };
}

function toExpiry(text: string | null, now: Date, lifetimeDaysMax: number | undefined): Date | null {
  const latest = latestExpiry(now, lifetimeDaysMax);
  if (text === null) {
    if (latest === null) return null;
    throw invalid("expiresAt", `is required. ${lifetimeMessage(lifetimeDaysMax, latest)}`);
  }
  const expiresAt = new Date(text);
  if (expiresAt <= now) throw invalid("expiresAt", "must be in the future");
  if (expiresAt.getUTCFullYear() > 9999) throw invalid("expiresAt", "must be before the year 10000 in UTC");
  // Tolerates a client whose clock is ahead.
  if (latest !== null && expiresAt.getTime() > latest.getTime() + CLOCKS_DIFFER_MS) {
    throw invalid("expiresAt", `is too late. ${lifetimeMessage(lifetimeDaysMax, latest)}`);
  }
  return expiresAt;
}

/** The latest expiry of a key created now; null if the operator has set no maximum. */
export function latestExpiry(now: Date, lifetimeDaysMax: number | undefined): Date | null {
  return lifetimeDaysMax === undefined ? null : new Date(now.getTime() + lifetimeDaysMax * DAY_MS);
}

function lifetimeMessage(daysMax: number | undefined, latest: Date): string {
  return `API keys live at most ${daysMax} days here: at or before ${latest.toISOString()}`;
}

function toNetworks(texts: readonly string[] | null): string[] | null {
  if (texts === null) return null;
  const networks = texts.map((text, index) => {
    const parsed = parseNetwork(text);
    if (!parsed.ok) throw invalid(`allowedNetworks[${index}]`, parsed.problem);
    return parsed.network;
  });
  return [...new Set(networks)];
}

function invalid(path: string, message: string): AppError {
  return new AppError("validation_failed", `The request does not match the schema. ${path}: ${message}.`, {
    data: { details: [{ path, message }] },
  });
}
