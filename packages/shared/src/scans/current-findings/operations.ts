import { z } from "zod";
import { Uuid, text } from "../../lib/schema.ts";
import { PageQuery } from "../../operations/page-query.ts";
import { SCAN_LIMITS } from "../limits.ts";
import { AssigneeSelector } from "../finding-assignments/schema.ts";
import { FindingState } from "../finding-decisions/schema.ts";
import { Severity } from "../schema.ts";
import {
  CurrentFindingPage,
  EXPORT_FINDINGS_MAX,
  ExportFormat,
  FINDING_SEARCH_MAX,
  FindingAge,
  FindingDue,
  FindingSummary,
} from "./schema.ts";
import { ServiceFilterFields } from "../../services/filter/schema.ts";
import { operation } from "../../operations/operation.ts";
import * as addresses from "./addresses.ts";

/** The fields that select findings. */
const Filter = z.strictObject({
  severity: Severity.optional(),
  code: text({ max: SCAN_LIMITS.codeMax }).optional().meta({ description: "The code of the rule." }),
  serviceId: Uuid.optional(),
  firstSeen: FindingAge.optional(),
  state: FindingState.optional(),
  due: FindingDue.optional(),
  assignee: AssigneeSelector,
  ...ServiceFilterFields.shape,
});

export type FindingFilterFields = z.infer<typeof Filter>;

const SearchedText = {
  q: text({ min: 1, max: FINDING_SEARCH_MAX }).optional().meta({
    description:
      "Words of a message, a method or a path, or their beginnings, in any case: `get pay` finds those of GET /v1/payments.",
  }),
};

const PageOfFindings = PageQuery.extend({
  ...Filter.shape,
  ...SearchedText,
});

const ExportQuery = Filter.extend({ ...SearchedText, format: ExportFormat });

const WHOSE =
  "Archived services are left out. A key whose scope is limited to services gets the findings of these services only.";

export const listFindings = operation({
  id: "listFindings",
  ...addresses.listFindings,
  summary: "List the findings of all services",
  description: `Those of their current runs: the most severe first, then by rule, service, the day when they were first seen, and path. ${WHOSE}`,
  tag: "scans",
  access: { needs: ["endpoints:read"], within: ["service"], resourceType: "service", isFiltered: true },
  query: PageOfFindings,
  responses: { 200: CurrentFindingPage },
});

export const summarizeFindings = operation({
  id: "summarizeFindings",
  ...addresses.summarizeFindings,
  summary: "Count the findings of all services",
  description: `Those of their current runs, by severity, state, age, deadline, rule and service. ${WHOSE}`,
  tag: "scans",
  access: { needs: ["endpoints:read"], within: ["service"], resourceType: "service", isFiltered: true },
  query: Filter,
  responses: { 200: FindingSummary },
});

export const exportFindings = operation({
  id: "exportFindings",
  ...addresses.exportFindings,
  summary: "Export the findings of all services",
  description:
    `Those of their current runs, at most ${EXPORT_FINDINGS_MAX.toLocaleString("en")}: if more pass the filters, with or without ` +
    `\`q\`, the request is refused. A service that is scanned meanwhile can be in it with the findings of both scans. ${WHOSE}`,
  tag: "scans",
  access: { needs: ["endpoints:read"], within: ["service"], resourceType: "service", isFiltered: true },
  query: ExportQuery,
  responses: { 200: z.unknown().meta({ type: "string" }) },
});
