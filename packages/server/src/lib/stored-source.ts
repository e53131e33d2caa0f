import { ofSourceFields, type ScanSource } from "@waymark/shared/scans/source/schema.ts";
import { z } from "zod";

/** The source of a run as it is stored; null for a run without one. A run that is older than a field of sources lacks it. */
export const StoredSource = z
  .record(z.string(), z.string().nullable())
  .nullable()
  .transform((stored): ScanSource | null =>
    stored === null ? null : ofSourceFields((_, name) => stored[name] ?? null),
  );
