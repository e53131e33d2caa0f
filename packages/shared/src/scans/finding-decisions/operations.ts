import { z } from "zod";
import { text, Uuid } from "../../lib/schema.ts";
import { NoContent, operation } from "../../operations/operation.ts";
import { PageQuery } from "../../operations/page-query.ts";
import { ServiceFilterFields } from "../../services/filter/schema.ts";
import { SCAN_LIMITS } from "../limits.ts";
import { BATCH_BYTES_MAX } from "./limits.ts";
import * as addresses from "./addresses.ts";
import {
  CreatedFindingDecisions,
  CreateFindingDecisionRequest,
  CreateFindingDecisionsRequest,
  DecisionState,
  DeleteFindingDecisionsRequest,
  FindingDecision,
  FindingDecisionPage,
  RevokedFindingDecisions,
} from "./schema.ts";

export const listFindingDecisions = operation({
  id: "listFindingDecisions",
  ...addresses.listFindingDecisions,
  summary: "List the decisions about findings",
  description:
    "Newest first. A key whose scope is limited to services gets the decisions for these services, and those for every service. " +
    "With a filter of services, findings are counted in these services only.",
  tag: "scans",
  access: { needs: ["endpoints:read"], within: ["service"], resourceType: "service", isFiltered: true },
  query: PageQuery.extend({
    serviceId: Uuid.optional().meta({
      description: "Only the decisions that apply to this service: its own, and those for every service.",
    }),
    serviceName: text({ min: 1, max: SCAN_LIMITS.serviceNameMax }).optional().meta({
      description: "As `serviceId`, by a name or an alias of the service.",
    }),
    code: text({ max: SCAN_LIMITS.codeMax }).optional().meta({ description: "The code of the rule." }),
    state: DecisionState.optional(),
    ...ServiceFilterFields.shape,
  }),
  responses: { 200: FindingDecisionPage },
});

export const createFindingDecision = operation({
  id: "createFindingDecision",
  ...addresses.createFindingDecision,
  summary: "Decide about a finding or a rule",
  description:
    "The findings stay in scans, lists and reports, marked as decided, and pass gates. A decision for the same finding or rule is replaced.",
  tag: "scans",
  access: { needs: ["findings:decide"], within: ["service"] },
  body: CreateFindingDecisionRequest,
  responses: { 201: FindingDecision },
  errors: [404, 409],
});

export const createFindingDecisions = operation({
  id: "createFindingDecisions",
  ...addresses.createFindingDecisions,
  summary: "Decide about several findings",
  description:
    "The same decision for each of them, or for none: if the key may not decide about one, or one can't be stored, nothing is. Findings of one service " +
    "that have the same fingerprint get one decision, up to the highest of their severities.",
  tag: "scans",
  access: { needs: ["findings:decide"], within: ["service"] },
  body: CreateFindingDecisionsRequest,
  bodyBytesMax: BATCH_BYTES_MAX,
  responses: { 201: CreatedFindingDecisions },
  errors: [404, 409],
});

export const deleteFindingDecisions = operation({
  id: "deleteFindingDecisions",
  ...addresses.deleteFindingDecisions,
  summary: "Revoke several decisions",
  description:
    "Those that are there no more are left out, so that a decision that somebody has replaced meanwhile does not keep the others. If the key may not " +
    "decide about one of the services, nothing is revoked.",
  tag: "scans",
  access: { needs: ["findings:decide"], within: ["service"] },
  body: DeleteFindingDecisionsRequest,
  responses: { 200: RevokedFindingDecisions },
  errors: [404],
});

export const deleteFindingDecision = operation({
  id: "deleteFindingDecision",
  ...addresses.deleteFindingDecision,
  summary: "Revoke a decision",
  description: "Its findings are open again, unless another decision covers them.",
  tag: "scans",
  access: { needs: ["findings:decide"], within: ["service"] },
  params: z.object({ decisionId: Uuid }),
  responses: { 204: NoContent },
});
