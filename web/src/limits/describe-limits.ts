import type { Limits, Quota } from "@waymark/shared/limits/schema.ts";
import { countOf } from "../lib/count-of.ts";
import { LOCALE } from "../lib/locale.ts";

export interface LimitGroup {
  title: string;
  /** Pairs of a subject and its limit, in words. */
  limits: readonly (readonly [what: string, limit: string])[];
}

const MIB = 1024 * 1024;

/** `10 MiB`, `512 KiB`, `3 bytes`. */
export function describeBytes(bytes: number): string {
  if (bytes < 1024) return countOf(bytes, "bytes");
  const [size, unit] = bytes < MIB ? [bytes / 1024, "KiB"] : [bytes / MIB, "MiB"];
  return `${size.toLocaleString(LOCALE, { maximumFractionDigits: 1 })} ${unit}`;
}

/** `in 40 s`, `in 3 minutes`, `in 5 hours`. */
export function describeReset({ resetSeconds }: Quota): string {
  if (resetSeconds < 60) return `in ${resetSeconds} s`;
  const minutes = Math.ceil(resetSeconds / 60);
  return minutes < 60
    ? `in ${countOf(minutes, "minutes")}`
    : `in ${countOf(Math.ceil(minutes / 60), "hours")}`;
}

const number = (value: number) => value.toLocaleString(LOCALE);
const perMinute = (value: number | null = null) => (value === null ? "no limit" : number(value));
const characters = (value: number) => `${number(value)} characters`;

/** The limits that people meet. `GET /api/limits` has all. */
// oxlint-disable-next-line max-lines-per-function -- a list of limits
export function describeLimits(limits: Limits): LimitGroup[] {
  const { scans, apiKeys, apiKeyPolicy, environments, journeys, journeyRuns, journeySchedules, rateLimits } =
    limits;
  return [
    {
      title: "Requests per minute",
      limits: [
        ["Of one key", perMinute(rateLimits["keyPerMinute"])],
        ["Of one key of a pipeline", perMinute(rateLimits["ciKeyPerMinute"])],
        ["Scans of one key", perMinute(rateLimits["ingestPerMinute"])],
        ["Refused, of one address", perMinute(rateLimits["failedAuthenticationsPerMinute"])],
      ],
    },
    {
      title: "A scan",
      limits: [
        ["Endpoints", number(scans.endpointsMax)],
        ["Findings", number(scans.findingsMax)],
        ["Size of the request", describeBytes(scans.bodyBytesMax)],
        ["Size of the OpenAPI file", describeBytes(scans.specFileBytesMax)],
        ["Name of the service", characters(scans.serviceNameMax)],
      ],
    },
    {
      title: "An API key",
      limits: [
        ["Lifetime", lifetime(apiKeyPolicy.lifetimeDaysMax)],
        ["Grace period of a rotation", countOf(Math.floor(apiKeys.graceSecondsMax / 86_400), "days")],
        ["Allowed networks", number(apiKeys.networksMax)],
        ["Name", characters(apiKeys.nameMax)],
      ],
    },
    {
      title: "Environments",
      limits: [
        ["Environments", number(environments.environmentsMax)],
        ["Secrets of one", limits.storesSecrets ? number(environments.secretsMax) : "not configured"],
        ["Size of a secret", describeBytes(environments.secretBytesMax)],
      ],
    },
    {
      title: "Journeys",
      limits: [
        ["Documents", number(journeys.documentsMax)],
        ["Size of a journey", describeBytes(journeys.documentBytesMax)],
        ["Size of a description", describeBytes(journeys.descriptionBytesMax)],
        ["Schedules", number(journeySchedules.schedulesMax)],
        ["Shortest interval", countOf(journeySchedules.intervalMinutesMin, "minutes")],
      ],
    },
    {
      title: "Runs of journeys",
      limits: [
        ["At work", number(journeyRuns.runningMax)],
        ["Waiting", number(journeyRuns.waitingMax)],
        ["Started per hour", number(journeyRuns.startedPerHourMax)],
        ["Duration of one", countOf(journeyRuns.runMs / 60_000, "minutes")],
        ["Requests of one", number(journeyRuns.requestsMax)],
      ],
    },
  ];
}

function lifetime(days: number | null): string {
  return days === null ? "no limit" : countOf(days, "days");
}
