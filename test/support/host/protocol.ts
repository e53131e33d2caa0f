import type { End } from "../../../scripts/service.ts";

export interface Organization {
  organizationId: string;
  apiKey: string;
}

/** What a test's process asks of a host, and what each is answered with. A service is named by its log. */
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
