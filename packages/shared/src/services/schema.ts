import { z } from "zod";
import { IsoDateTime, Uuid } from "../lib/schema.ts";

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
  })
  .meta({ id: "Service" });
export type Service = z.infer<typeof Service>;

export const ServicePage = z
  .object({ services: z.array(Service), nextCursor: z.string().optional() })
  .meta({ id: "ServicePage" });
