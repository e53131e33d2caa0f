import { z } from "zod";
import { API_KEY_LIMITS, ApiKeyPolicy } from "../api-keys/schema.ts";
import { TRUST_POLICY_LIMITS } from "../api-keys/trust-policies/limits.ts";
import { ENVIRONMENT_LIMITS } from "../environments/limits.ts";
import { JOURNEY_COVERAGE_LIMITS } from "../journey-coverage/limits.ts";
import { JOURNEY_RUN_LIMITS } from "../journey-runs/limits.ts";
import { JOURNEY_RUN_LINK_LIMITS } from "../journey-runs/links/limits.ts";
import { JOURNEY_SCHEDULE_LIMITS } from "../journey-schedules/limits.ts";
import { JOURNEY_LIMITS } from "../journeys/limits.ts";
import { INVITATION_LIMITS } from "../principals/invitations/schema.ts";
import { PRINCIPAL_LIMITS } from "../principals/schema.ts";
import { ROLE_LIMITS } from "../principals/roles/schema.ts";
import { TEAM_LIMITS } from "../principals/teams/limits.ts";
import { SAVED_VIEW_LIMITS } from "../saved-views/limits.ts";
import { SCAN_LIMITS } from "../scans/limits.ts";
import { RUN_COMMENT_LIMITS } from "../scans/run-comments/limits.ts";
import { SNOOZE_LIMITS } from "../services/snoozes/limits.ts";
import { RATE_LIMITS, WAIT_LIMITS } from "../operations/limits.ts";

const Quota = z
  .object({
    limit: z.int(),
    used: z.int().meta({ description: "The current usage of the caller's organization." }),
    resetSeconds: z.int().meta({ description: "Until the count restarts from zero." }),
  })
  .meta({ id: "Quota" });
export type Quota = z.infer<typeof Quota>;

/** The server's limits, and the usage of the caller's organization. */
export const Limits = z
  .object({
    scans: numbersOf(SCAN_LIMITS),
    apiKeys: numbersOf(API_KEY_LIMITS),
    trustPolicies: numbersOf(TRUST_POLICY_LIMITS),
    principals: numbersOf(PRINCIPAL_LIMITS),
    roles: numbersOf(ROLE_LIMITS),
    invitations: numbersOf(INVITATION_LIMITS),
    teams: numbersOf(TEAM_LIMITS),
    savedViews: numbersOf(SAVED_VIEW_LIMITS),
    snoozes: numbersOf(SNOOZE_LIMITS),
    scanRunComments: numbersOf(RUN_COMMENT_LIMITS),
    journeys: numbersOf(JOURNEY_LIMITS),
    journeyRuns: numbersOf(JOURNEY_RUN_LIMITS),
    journeyRunLinks: numbersOf(JOURNEY_RUN_LINK_LIMITS),
    journeyCoverage: numbersOf(JOURNEY_COVERAGE_LIMITS),
    journeySchedules: numbersOf({ ...JOURNEY_SCHEDULE_LIMITS, intervalMinutesMin: 0 }),
    apiKeyPolicy: ApiKeyPolicy,
    environments: numbersOf(ENVIRONMENT_LIMITS),
    storesSecrets: z.boolean().meta({
      description: "Whether secrets of environments can be set: the operator has configured a key for them.",
    }),
    waits: numbersOf(WAIT_LIMITS).meta({
      description:
        "Requests with `waitSeconds` that may wait at a time in one api process, and for how long: of a key, and of all keys of an organization.",
    }),
    pages: z
      .object({ limitDefault: z.int(), limitMax: z.int(), itemLimitMax: z.int(), changeLimitMax: z.int() })
      .meta({
        description:
          "`limit` of every list. `itemLimitMax` is the maximum for the endpoints and findings of a scan, and for the coverage of journeys: all of " +
          "one scan fit one page. `changeLimitMax` is the maximum and the default for the changes of a service, each of which is computed.",
      }),
    rateLimits: valuesOf(RATE_LIMITS, z.int().nullable()).meta({
      description:
        "Requests per minute: per key, per key that may submit scans and is not a person's, per key on ingest, and refused ones per client address, or per key if the key is known. Null: no limit.",
    }),
    organization: z
      .object({
        requestsPerMinute: Quota.nullable(),
        scansPerDay: Quota.nullable(),
        bytesPerDay: Quota.nullable(),
      })
      .meta({
        description:
          "For all keys of the caller's organization together: requests, accepted scans, and decoded bytes of accepted scans. A day ends at midnight UTC. Null: no limit, and no counting.",
      }),
  })
  .meta({ id: "Limits" });
export type Limits = z.infer<typeof Limits>;

function numbersOf<Names extends object>(limits: Names) {
  return valuesOf(limits, z.int());
}

function valuesOf<Names extends object, Value extends z.ZodType>(limits: Names, value: Value) {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a constant has no other keys than those of its type
  const names = Object.keys(limits) as Extract<keyof Names, string>[];
  return z.record(z.enum(names), value);
}
