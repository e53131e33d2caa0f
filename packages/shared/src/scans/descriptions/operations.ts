import { z } from "zod";
import { Uuid } from "../../lib/schema.ts";
import { waitSecondsField } from "../../operations/wait-seconds.ts";
import { operation } from "../../operations/operation.ts";
import * as addresses from "./addresses.ts";
import { DescriptionForm, DescriptionHeaders, ScanDescription } from "./schema.ts";

const RunParams = z.object({ scanRunId: Uuid });

export const putScanDescription = operation({
  id: "putScanDescription",
  ...addresses.putScanDescription,
  summary: "Store the description of a scan run",
  description:
    "The text that the run was scanned from, JSON or YAML, with `Content-Type: application/json` or `application/yaml`, plain or " +
    "compressed with gzip or br. Its operations must be the run's endpoints, by method and path. A run has one description: the same " +
    "again changes nothing, another one is refused. Without a body, a description that another run of its service has is stored for " +
    "this run, too, by its hash in `Repr-Digest`; 409 `description_unknown` asks for the text. 403 `descriptions_disabled` if the " +
    "organization stores none.",
  tag: "scans",
  access: { needs: ["endpoints:write"], within: ["service"], unless: "the key has submitted the run" },
  params: RunParams,
  query: z.strictObject({
    waitSeconds: waitSecondsField("How long to wait until the run is completed."),
  }),
  headers: DescriptionHeaders,
  body: z.unknown().meta({ description: "The text, which is not parsed as a part of the request." }),
  responses: { 200: ScanDescription, 201: ScanDescription },
  errors: [409, 413, 415, 503],
});

export const getScanDescription = operation({
  id: "getScanDescription",
  ...addresses.getScanDescription,
  summary: "Read the description of a scan run",
  description:
    "The text byte for byte as it was sent, or as canonical JSON: without white space, with sorted keys. 404 `description_missing` if " +
    "the run has none.",
  tag: "scans",
  access: { needs: ["endpoints:read"], within: ["service"] },
  params: RunParams,
  query: z.strictObject({ form: DescriptionForm.default("original") }),
  revalidates: true,
  responses: { 200: z.unknown().meta({ type: "string" }) },
});
