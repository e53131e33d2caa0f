import { z } from "zod";
import { Uuid } from "../../lib/schema.ts";
import { NoContent, operation } from "../../operations/operation.ts";
import { PageQuery } from "../../operations/page-query.ts";
import { BATCH_BYTES_MAX } from "../finding-decisions/limits.ts";
import { FindingFingerprint } from "../finding-decisions/schema.ts";
import * as addresses from "./addresses.ts";
import {
  AssignedFindings,
  AssigneeSelector,
  AssignFindingRequest,
  AssignFindingsRequest,
  FindingAssignment,
  FindingAssignmentPage,
} from "./schema.ts";

export const listFindingAssignments = operation({
  id: "listFindingAssignments",
  ...addresses.listFindingAssignments,
  summary: "List the findings that are assigned",
  description:
    "Newest first; none with `assignee=none`. A key whose scope is limited to services gets those of these services.",
  tag: "scans",
  access: { needs: ["endpoints:read"], within: ["service"], resourceType: "service", isFiltered: true },
  query: PageQuery.extend({
    serviceId: Uuid.optional().meta({ description: "Only findings of this service." }),
    fingerprint: FindingFingerprint.optional(),
    assignee: AssigneeSelector,
  }),
  responses: { 200: FindingAssignmentPage },
});

export const assignFinding = operation({
  id: "assignFinding",
  ...addresses.assignFinding,
  summary: "Assign a finding to a user or a team",
  description:
    "In the place of the user or the team to which it is assigned. The assignment stays with the finding from scan to scan, as a decision does. Nobody " +
    "gets a right by it. It ends with the team.",
  tag: "scans",
  access: { needs: ["findings:decide"], within: ["service"] },
  body: AssignFindingRequest,
  responses: { 200: FindingAssignment },
  errors: [404, 409],
});

export const assignFindings = operation({
  id: "assignFindings",
  ...addresses.assignFindings,
  summary: "Assign several findings to a user, to a team, or to nobody",
  description:
    "All of them, or none: if the key may not decide about one of the services, or the user may not read one, nothing is changed.",
  tag: "scans",
  access: { needs: ["findings:decide"], within: ["service"] },
  body: AssignFindingsRequest,
  bodyBytesMax: BATCH_BYTES_MAX,
  responses: { 200: AssignedFindings },
  errors: [404, 409],
});

export const unassignFinding = operation({
  id: "unassignFinding",
  ...addresses.unassignFinding,
  summary: "End the assignment of a finding",
  description: "Does nothing if the finding is not assigned.",
  tag: "scans",
  access: { needs: ["findings:decide"], within: ["service"] },
  query: z.strictObject({ serviceId: Uuid, fingerprint: FindingFingerprint }),
  responses: { 204: NoContent },
  errors: [404],
});
