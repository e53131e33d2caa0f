import { z } from "zod";
import { Uuid } from "../../lib/schema.ts";
import { operation } from "../../operations/operation.ts";
import * as addresses from "./addresses.ts";
import { GATE_LIMITS } from "./limits.ts";
import { ScanGatesOfRun, ScanGatesPayload } from "./schema.ts";

const RunParams = z.object({ scanRunId: Uuid });

export const putScanGates = operation({
  id: "putScanGates",
  ...addresses.putScanGates,
  summary: "Store the verdict of a scan run's gates",
  description:
    "What the client of a completed run judged it by: its gates, which of them passed, and what failed. Waymark stores the verdict as " +
    "it is, and decides nothing by it. The key that has sent a verdict can replace it; another key gets 409 `gates_conflict`.",
  tag: "scans",
  access: { needs: ["endpoints:write"], within: ["service"], unless: "the key has submitted the run" },
  params: RunParams,
  body: ScanGatesPayload,
  bodyBytesMax: GATE_LIMITS.bodyBytesMax,
  responses: { 200: ScanGatesOfRun },
  errors: [409, 413, 415],
});

export const getScanGates = operation({
  id: "getScanGates",
  ...addresses.getScanGates,
  summary: "Read the verdict of a scan run's gates",
  tag: "scans",
  access: { needs: ["endpoints:read"], within: ["service"] },
  params: RunParams,
  revalidates: true,
  responses: { 200: ScanGatesOfRun },
});
