import { API_KEY_LIMITS, ApiKeyPolicy } from "@waymark/shared/api-keys/schema.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import { z } from "zod";
import type { Authenticate } from "../lib/authenticate.ts";
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../lib/paging.ts";
import type { ZodApp } from "../lib/zod-routes.ts";

const Limits = z
  .object({
    scans: numbersOf(SCAN_LIMITS),
    apiKeys: numbersOf(API_KEY_LIMITS),
    apiKeyPolicy: ApiKeyPolicy,
    pages: z.object({ limitDefault: z.int(), limitMax: z.int() }),
    rateLimits: z
      .object({
        keyPerMinute: z.int().nullable(),
        ingestPerMinute: z.int().nullable(),
        failedAuthenticationsPerMinute: z.int().nullable(),
      })
      .meta({
        description: "Requests a minute: per key, per key on ingest, per client address. Null: no limit.",
      }),
  })
  .meta({ id: "Limits" });

export interface PublishedLimits {
  bodyBytesMax: number;
  keyLifetimeDaysMax: number | undefined;
  keyPerMinute: number | undefined;
  ingestPerMinute: number | undefined;
  failedAuthenticationsPerMinute: number | undefined;
}

/** `GET /api/limits`: what this server accepts, for clients that want to know before they send. */
export function registerLimitsRoute(
  app: ZodApp,
  { authenticate, limits }: { authenticate: Authenticate; limits: PublishedLimits },
): void {
  const answer = {
    scans: { ...SCAN_LIMITS, bodyBytesMax: limits.bodyBytesMax },
    apiKeys: API_KEY_LIMITS,
    apiKeyPolicy: { lifetimeDaysMax: limits.keyLifetimeDaysMax ?? null },
    pages: { limitDefault: PAGE_LIMIT_DEFAULT, limitMax: PAGE_LIMIT_MAX },
    rateLimits: {
      keyPerMinute: limits.keyPerMinute ?? null,
      ingestPerMinute: limits.ingestPerMinute ?? null,
      failedAuthenticationsPerMinute: limits.failedAuthenticationsPerMinute ?? null,
    },
  };
  app.get(
    "/api/limits",
    {
      schema: {
        operationId: "getLimits",
        summary: "Read the server's limits",
        description: "Items, Unicode characters and bytes. Every key may.",
        tags: ["limits"],
        response: { 200: Limits, 401: ErrorResponse, 429: ErrorResponse },
      },
      onRequest: authenticate,
    },
    async () => answer,
  );
}

function numbersOf(limits: Readonly<Record<string, number>>) {
  return z.record(z.enum(Object.keys(limits)), z.int());
}
