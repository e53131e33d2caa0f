import { z } from "zod";
import { IsoDateTime, Uuid } from "../lib/schema.ts";
import { ScanRunError } from "../scans/schema.ts";

/** A promoted run's counts: one point of a service's trend. */
export const TrendPoint = z
  .object({
    scanRunId: Uuid,
    scannedAt: IsoDateTime,
    endpointCount: z.int().min(0),
    findingCount: z.int().min(0),
  })
  .meta({ id: "TrendPoint" });
export type TrendPoint = z.infer<typeof TrendPoint>;

export const TREND_RUNS_MAX = 50;

export const Service = z
  .object({
    id: Uuid,
    name: z.string(),
    createdAt: IsoDateTime,
    currentScanRunId: Uuid.nullable().meta({
      description: "The newest promoted run; null before the first.",
    }),
    lastScannedAt: IsoDateTime.nullable(),
    endpointCount: z.int().min(0).nullable().meta({ description: "Of the current run." }),
    findingCount: z.int().min(0).nullable().meta({ description: "Of the current run." }),
    lastFailedScan: z
      .object({ scanRunId: Uuid, submittedAt: IsoDateTime, error: ScanRunError })
      .nullable()
      .meta({ description: "The newest scan that is stored or failed, if it failed." }),
    trend: z.array(TrendPoint).optional().meta({
      description: "The last completed runs that were promoted, oldest first. Only if requested.",
    }),
  })
  .meta({ id: "Service" });
export type Service = z.infer<typeof Service>;

export const ServicePage = z
  .object({ services: z.array(Service), nextCursor: z.string().optional() })
  .meta({ id: "ServicePage" });
