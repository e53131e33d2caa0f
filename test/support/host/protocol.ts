import type { End } from "../../../scripts/service.ts";

export interface Organization {
  organizationId: string;
  apiKey: string;
}

/** The requests that a test's process sends to a host, and their results. The path of its log identifies a service. */
export interface HostRequests {
  api: { options: { env: Record<string, string> }; result: { logFile: string } };
  worker: { options: { env: Record<string, string> }; result: { logFile: string } };
  stop: { options: { logFile: string }; result: End };
  organization: { options: { databaseUrl: string; name: string }; result: Organization };
}

export type HostRequest = {
  [What in keyof HostRequests]: { id: number; what: What; options: HostRequests[What]["options"] };
}[keyof HostRequests];

export type HostAnswer =
  | { id: number; result: HostRequests[keyof HostRequests]["result"] }
  | { id: number; error: string };
