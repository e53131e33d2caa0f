import type { IdentifiedKey } from "@waymark/server/api-keys/check-key.ts";
import type { Actor } from "@waymark/shared/api-keys/authorize.ts";
import type { Permission } from "@waymark/shared/api-keys/schema.ts";
import { grants } from "@waymark/shared/api-keys/scope-allows.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { OperationLimits } from "@waymark/shared/operations/limits.ts";
import type { FastifyReply } from "fastify";
import type { RedisConnection } from "@waymark/server/lib/redis/connect.ts";
import { createLimiters, type Limiter, type LimitState } from "./limiter.ts";
import { type LimitName, limitExceeded, setLimitHeaders } from "./limit-responses.ts";

export interface RequestLimitOptions {
  /** Per key; undefined for no limit. */
  keyPerMinute: number | undefined;
  /** Instead of `keyPerMinute`, for keys of a CI fleet. */
  ciKeyPerMinute: number | undefined;
  ingestPerMinute: number | undefined;
  /** Per organization, for all its keys together; undefined for no limit. */
  organizationPerMinute: number | undefined;
  /** Per client address for requests without a known key, and per refused known key; undefined for no limit. */
  failedAuthenticationsPerMinute: number | undefined;
  /** How long a request waits for Redis. */
  countingTimeoutMs: number;
}

/** A key whose requests are counted, or what has an id like one. */
export interface CountedCaller extends IdentifiedKey {
  /** A CI fleet may share it, so that it sends many requests. */
  isOfFleet: boolean;
}

/** Whether a CI fleet may share this key: it may submit scans, and is not a person's. */
export function isKeyOfFleet({ userId, scopes }: Actor): boolean {
  const submitted: Permission = "scans:create";
  return userId === undefined && scopes.some((scope) => grants(scope, submitted));
}

export interface RequestLimits {
  /** @throws AppError `rate_limited` when this address has failed too often */
  assertAddressMayTry(address: string, reply: FastifyReply): Promise<void>;
  noteFailure(address: string): Promise<void>;
  /**
   * Limits requests with unknown badge tokens. They don't count as failed keys: a page that shows a deleted badge must not keep
   * its readers from signing in.
   *
   * @throws AppError `rate_limited`
   */
  assertAddressMayReadBadges(address: string, reply: FastifyReply): Promise<void>;
  noteUnknownBadge(address: string): Promise<void>;
  /**
   * Limits refused exchanges of tokens, apart from failed keys: builds that are set up wrong must not keep others behind their address
   * from signing in.
   *
   * @throws AppError `rate_limited`
   */
  assertAddressMayExchange(address: string, reply: FastifyReply): Promise<void>;
  noteRefusedExchange(address: string): Promise<void>;
  /**
   * Limits links that do not work, apart from failed keys: a link that has expired must not keep its readers from signing in.
   *
   * @throws AppError `rate_limited`
   */
  assertAddressMayOpenLinks(address: string, reply: FastifyReply): Promise<void>;
  noteUnknownLink(address: string): Promise<void>;
  /** Counts a request of a usable key. @throws AppError `rate_limited` */
  countRequest(
    limits: Exclude<OperationLimits, "refused">,
    caller: CountedCaller,
    reply: FastifyReply,
  ): Promise<void>;
  /** Counts a refused request of a known key. @throws AppError `rate_limited` */
  countRefused(key: IdentifiedKey, reply: FastifyReply): Promise<void>;
  /** An organization's usage in this minute, without counting; undefined if it has no limit. */
  organizationState(organizationId: string): Promise<LimitState | undefined>;
}

const TOO_MANY_FAILURES =
  "Too many requests from this address were made without a valid API key. Check the key and try again later.";
const TOO_MANY_UNKNOWN_BADGES =
  "Too many badges that this address asked for don't exist. Create the badge again and replace its address.";

const TOO_MANY_EXCHANGES =
  "Too many tokens that this address sent were refused. Run `waymark doctor` in one build, and try again later.";

const TOO_MANY_UNKNOWN_LINKS =
  "Too many links that this address opened do not work. Ask for another link, and try again later.";

/** The api's rate limits. Responses of counted requests have the RateLimit-* headers. */
export function createRequestLimits(
  redis: RedisConnection | undefined,
  options: RequestLimitOptions & { onError: (error: Error) => void; onUsable: () => void },
): RequestLimits {
  const { countingTimeoutMs: timeoutMs, onError, onUsable } = options;
  const create = createLimiters(redis, { timeoutMs, onError, onUsable });
  const limiter = (name: string, perMinute: number | undefined): Limiter | undefined =>
    perMinute === undefined ? undefined : create({ name, perMinute });
  const attempts = (name: string, why: string) =>
    failedAttempts(limiter(name, options.failedAuthenticationsPerMinute), why);
  const failures = attempts("failed", TOO_MANY_FAILURES);
  const unknownBadges = attempts("badge", TOO_MANY_UNKNOWN_BADGES);
  const exchanges = attempts("exchange", TOO_MANY_EXCHANGES);
  const unknownLinks = attempts("link", TOO_MANY_UNKNOWN_LINKS);
  // A limit per key, so that there is one even if the limit per address is off.
  const refused = limiter("refused", options.failedAuthenticationsPerMinute ?? options.keyPerMinute);
  const refusedName: LimitName =
    options.failedAuthenticationsPerMinute === undefined ? "keyPerMinute" : "failedAuthenticationsPerMinute";
  const perKey = limiter("key", options.keyPerMinute);
  const perCiKey = limiter("ci-key", options.ciKeyPerMinute);
  const ingest = limiter("ingest", options.ingestPerMinute);
  const organization = limiter("organization", options.organizationPerMinute);

  return {
    assertAddressMayTry: failures.assertMay,
    noteFailure: failures.note,
    assertAddressMayReadBadges: unknownBadges.assertMay,
    noteUnknownBadge: unknownBadges.note,
    assertAddressMayExchange: exchanges.assertMay,
    noteRefusedExchange: exchanges.note,
    assertAddressMayOpenLinks: unknownLinks.assertMay,
    noteUnknownLink: unknownLinks.note,
    async countRequest(limits, { apiKeyId, organizationId, isOfFleet }, reply) {
      if (limits === "ingest") await count(ingest, "ingestPerMinute", apiKeyId, reply);
      else if (isOfFleet) await count(perCiKey, "ciKeyPerMinute", apiKeyId, reply);
      else await count(perKey, "keyPerMinute", apiKeyId, reply);
      // Requests that the key's limit refuses don't count towards the organization's.
      if (limits !== "revocation") {
        await count(organization, "organization.requestsPerMinute", organizationId, reply);
      }
    },
    countRefused: ({ apiKeyId }, reply) => count(refused, refusedName, apiKeyId, reply),
    async organizationState(organizationId) {
      return organization?.peek(organizationId);
    },
  };
}

async function count(counter: Limiter | undefined, name: LimitName, id: string, reply: FastifyReply) {
  const state = await counter?.consume(id);
  if (state === undefined) return;
  setLimitHeaders(reply, state);
  if (state.exceeded) throw limitExceeded(name, state);
}

/** A limit of what fails: it refuses an address that has used it up, and counts apart from that. */
function failedAttempts(counter: Limiter | undefined, why: string) {
  return {
    assertMay: (address: string, reply: FastifyReply) => refuseExceeded(counter, address, reply, why),
    note: async (address: string) => {
      await counter?.consume(address);
    },
  };
}

/** Refuses an address that has used up its limit, without counting. */
async function refuseExceeded(
  counter: Limiter | undefined,
  address: string,
  reply: FastifyReply,
  why: string,
) {
  const state = await counter?.peek(address);
  if (state?.exceeded !== true) return;
  setLimitHeaders(reply, state);
  throw new AppError("rate_limited", why, { data: { retryAfterSeconds: state.resetSeconds } });
}
