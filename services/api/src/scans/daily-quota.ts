import type { AppError } from "@waymark/shared/errors/app-error.ts";
import {
  type CountedScan,
  type DayUsage,
  UsageLimitExceeded,
} from "@waymark/server/scans/accept/usage.queries.ts";
import type { FastifyReply } from "fastify";
import { limitExceeded, setLimitHeaders } from "../lib/limits/limit-responses.ts";

const REMEMBERED_MAX = 10_000;

export interface DailyLimits {
  organizationScansPerDay: number | undefined;
  organizationBytesPerDay: number | undefined;
}

/** Checks one scan against its organization's daily limits. */
export interface DailyQuota {
  /** The limits, for the statement that accepts the scan. */
  counted: CountedScan;
  /** Refuses a scan that exceeds the known usage, without a query. @throws AppError `rate_limited` */
  assertRoom(): void;
  /** Runs `accept`, remembers the resulting usage, and sets the headers. @throws AppError `rate_limited` */
  accept<T extends { usage?: DayUsage | null }>(work: Promise<T>): Promise<T>;
}

/** Creates the quota of a scan of `bytes`, or of the description of one, which is no scan; null if its organization has no daily limit, so that nothing is counted. */
export type DailyQuotas = (
  scan: { organizationId: string; bytes: number; scans?: 0 | 1 },
  reply: FastifyReply,
) => DailyQuota | null;

/**
 * The daily limits. Postgres counts, exactly and for all processes together. The usage that this process knows is never
 * higher than the actual one, so it can refuse a scan above the limit without a query.
 */
export function createDailyQuotas(limits: DailyLimits): DailyQuotas {
  const scansMax = limits.organizationScansPerDay ?? null;
  const bytesMax = limits.organizationBytesPerDay ?? null;
  if (scansMax === null && bytesMax === null) return () => null;
  const seen = new Map<string, { usage: DayUsage; endsAt: number }>();

  return ({ organizationId, bytes, scans = 1 }, reply) => {
    const remember = (usage: DayUsage) => {
      if (seen.size >= REMEMBERED_MAX) seen.clear();
      seen.set(organizationId, { usage, endsAt: Date.now() + usage.resetSeconds * 1000 });
    };
    const refusal = (usage: DayUsage): AppError | undefined => {
      const state = { remaining: 0, resetSeconds: usage.resetSeconds, exceeded: true };
      let error: AppError | undefined;
      if (scansMax !== null && usage.scans + scans > scansMax) {
        setLimitHeaders(reply, { ...state, limit: scansMax });
        error = limitExceeded("organization.scansPerDay", { ...state, limit: scansMax });
      } else if (bytesMax !== null && usage.bytes + bytes > bytesMax) {
        setLimitHeaders(reply, { ...state, limit: bytesMax });
        error = limitExceeded("organization.bytesPerDay", { ...state, limit: bytesMax });
      }
      return error;
    };
    return {
      counted: { bytes, scansMax, bytesMax },
      assertRoom() {
        const day = seen.get(organizationId);
        const resetSeconds = Math.ceil(((day?.endsAt ?? 0) - Date.now()) / 1000);
        if (day === undefined || resetSeconds <= 0) return;
        const error = refusal({ ...day.usage, resetSeconds });
        if (error !== undefined) throw error;
      },
      async accept(work) {
        try {
          const accepted = await work;
          if (accepted.usage !== undefined && accepted.usage !== null) {
            remember(accepted.usage);
            if (scansMax !== null) showScansLeft(reply, scansMax, accepted.usage);
          }
          return accepted;
        } catch (error) {
          if (!(error instanceof UsageLimitExceeded)) throw error;
          remember(error.usage);
          throw refusal(error.usage) ?? error;
        }
      },
    };
  };
}

function showScansLeft(reply: FastifyReply, limit: number, { scans, resetSeconds }: DayUsage): void {
  setLimitHeaders(reply, { limit, remaining: Math.max(0, limit - scans), resetSeconds, exceeded: false });
}
