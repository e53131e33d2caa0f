import { z } from "zod";
import { Verdict } from "@waymark/shared/scans/comparisons/schema.ts";

/** A page reads whole parts. */
export const VERDICTS_PER_PART = 50;

/** A verdict as it is stored: approvals come and go. */
export const StoredVerdict = Verdict.omit({ approval: true });
export type StoredVerdict = z.infer<typeof StoredVerdict>;
