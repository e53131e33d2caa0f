import * as operations from "@waymark/shared/scans/approvals/operations.ts";
import {
  ChangeApproval,
  type ChangeApprovalState,
  ServiceChangeApproval,
} from "@waymark/shared/scans/approvals/schema.ts";
import { z } from "zod";
import { type ApiConnection, call } from "./api-client.ts";
import { collectItems, readPages } from "./read-pages.ts";

/** The fields of an approval that the command shows. */
const ShownApproval = ChangeApproval.pick({
  fingerprint: true,
  state: true,
  reason: true,
  until: true,
  approvedBy: true,
  approver: true,
  usedByScanRunId: true,
}).partial({ approver: true, usedByScanRunId: true });
export type ShownApproval = z.infer<typeof ShownApproval>;

const Approvals = z.object({ approvals: z.array(ShownApproval) });
const Page = Approvals.extend({ nextCursor: z.string().optional() });

/** Returns the approvals of a service's changes that are in a state, by the fingerprints of the changes. */
export async function readApprovals(
  connection: ApiConnection,
  serviceId: string,
  state: ChangeApprovalState,
): Promise<Map<string, ShownApproval>> {
  const approvals = new Map<string, ShownApproval>();
  const reading = { what: "reading the approvals", read: Page };
  const parts = { params: { serviceId }, query: { state } };
  for await (const page of readPages(connection, operations.listChangeApprovals, reading, parts)) {
    for (const approval of page.approvals) approvals.set(approval.fingerprint, approval);
  }
  return approvals;
}

export interface ApprovalsToCreate {
  fingerprints: string[];
  reason: string;
  /** The last day on which they hold, as `YYYY-MM-DD`; undefined: until the changes are current. */
  until: string | undefined;
  scanRunId: string;
}

/** Approves changes of a service. @throws {CliError} for changes that the run does not have */
export async function createApprovals(
  connection: ApiConnection,
  serviceId: string,
  { until, ...approvals }: ApprovalsToCreate,
): Promise<ShownApproval[]> {
  const reading = { what: "approving the changes", read: Approvals };
  const body = { ...approvals, ...(until !== undefined && { until }) };
  const parts = { params: { serviceId }, body };
  return (await call(connection, operations.createChangeApprovals, reading, parts)).approvals;
}

/** The fields of an approval in a list over services that the command shows. */
const ListedApproval = ServiceChangeApproval.pick({
  id: true,
  fingerprint: true,
  change: true,
  state: true,
  serviceId: true,
  serviceName: true,
  reason: true,
  until: true,
  scanRunId: true,
  pullRequest: true,
  usedByScanRunId: true,
});
export type ListedApproval = z.infer<typeof ListedApproval>;

const ListedPage = z.object({ approvals: z.array(ListedApproval), nextCursor: z.string().optional() });

/** Returns the approvals of a service's changes, or of all services, newest first: also used and expired ones. */
export function readAllApprovals(
  connection: ApiConnection,
  serviceName: string | undefined,
): Promise<ListedApproval[]> {
  const reading = { what: "reading the approvals", read: ListedPage };
  const pages = readPages(connection, operations.listAllChangeApprovals, reading, {
    query: serviceName === undefined ? {} : { serviceName },
  });
  return collectItems(pages, ({ approvals }) => approvals);
}
