import { z } from "zod";
import { text, Uuid } from "../../lib/schema.ts";
import { NoContent, operation } from "../../operations/operation.ts";
import { PageQuery } from "../../operations/page-query.ts";
import { ServiceFilterFields } from "../../services/filter/schema.ts";
import { Fingerprint } from "../comparisons/schema.ts";
import { SCAN_LIMITS } from "../limits.ts";
import * as addresses from "./addresses.ts";
import {
  ChangeApprovalList,
  ChangeApprovalPage,
  ChangeApprovalState,
  ServiceChangeApprovalPage,
  CreateChangeApprovalsRequest,
} from "./schema.ts";

const Params = z.object({ serviceId: Uuid });

export const createChangeApprovals = operation({
  id: "createChangeApprovals",
  ...addresses.createChangeApprovals,
  summary: "Approve changes of a service",
  description:
    "An approved change passes the gates of every later run of the service, until it is current or the approval's last day is over.",
  tag: "services",
  access: { needs: ["changes:approve"], within: ["service"] },
  params: Params,
  body: CreateChangeApprovalsRequest,
  responses: { 201: ChangeApprovalList },
  errors: [409],
});

export const listChangeApprovals = operation({
  id: "listChangeApprovals",
  ...addresses.listChangeApprovals,
  summary: "List the approvals of a service's changes",
  description: "Newest first. Those that were used stay as long as the run that used them.",
  tag: "services",
  access: { needs: ["endpoints:read"], within: ["service"] },
  params: Params,
  query: PageQuery.extend({ state: ChangeApprovalState.optional() }),
  responses: { 200: ChangeApprovalPage },
});

export const listAllChangeApprovals = operation({
  id: "listAllChangeApprovals",
  ...addresses.listAllChangeApprovals,
  summary: "List the approvals of changes of all services",
  description:
    "Newest first. A key whose scope is limited to services gets the approvals of these services. Those that were used stay as long as the run that " +
    "used them.",
  tag: "services",
  access: { needs: ["endpoints:read"], within: ["service"], resourceType: "service", isFiltered: true },
  query: PageQuery.extend({
    serviceId: Uuid.optional().meta({ description: "Only the approvals of this service." }),
    serviceName: text({ min: 1, max: SCAN_LIMITS.serviceNameMax }).optional().meta({
      description: "As `serviceId`, by a name or an alias of the service.",
    }),
    state: ChangeApprovalState.optional(),
    ...ServiceFilterFields.shape,
  }),
  responses: { 200: ServiceChangeApprovalPage },
});

export const deleteChangeApproval = operation({
  id: "deleteChangeApproval",
  ...addresses.deleteChangeApproval,
  summary: "Revoke the approval of a change",
  description: "The change no longer passes gates. Approvals that were used stay. Idempotent.",
  tag: "services",
  access: { needs: ["changes:approve"], within: ["service"] },
  params: Params.extend({ fingerprint: Fingerprint }),
  responses: { 204: NoContent },
});
