import * as apiKeys from "./api-keys/operations.ts";
import * as apiKeysTrustPolicies from "./api-keys/trust-policies/operations.ts";
import * as audit from "./audit/operations.ts";
import * as endpointSearch from "./endpoint-search/operations.ts";
import * as environments from "./environments/operations.ts";
import * as journeyCoverage from "./journey-coverage/operations.ts";
import * as journeyRunsLinks from "./journey-runs/links/operations.ts";
import * as journeyRuns from "./journey-runs/operations.ts";
import * as journeySchedules from "./journey-schedules/operations.ts";
import * as journeys from "./journeys/operations.ts";
import * as limits from "./limits/operations.ts";
import * as principals from "./principals/operations.ts";
import * as principalsIdentityProviders from "./principals/identity-providers/operations.ts";
import * as principalsInvitations from "./principals/invitations/operations.ts";
import * as principalsRoles from "./principals/roles/operations.ts";
import * as principalsTeams from "./principals/teams/operations.ts";
import * as savedViews from "./saved-views/operations.ts";
import * as scansApprovals from "./scans/approvals/operations.ts";
import * as scansCurrentFindings from "./scans/current-findings/operations.ts";
import * as scansDescriptions from "./scans/descriptions/operations.ts";
import * as scansFindingAssignments from "./scans/finding-assignments/operations.ts";
import * as scansFindingComments from "./scans/finding-comments/operations.ts";
import * as scansFindingDecisions from "./scans/finding-decisions/operations.ts";
import * as scansGates from "./scans/gates/operations.ts";
import * as scans from "./scans/operations.ts";
import * as scansRunComments from "./scans/run-comments/operations.ts";
import * as scansSeverityPolicy from "./scans/severity-policy/operations.ts";
import * as servicesBadges from "./services/badges/operations.ts";
import * as servicesSnoozes from "./services/snoozes/operations.ts";
import * as services from "./services/operations.ts";
import * as session from "./session/operations.ts";
import * as principalsSignIn from "./principals/sign-in/operations.ts";
import type { Address, Operation } from "./operations/operation.ts";

const ALL = {
  ...apiKeys,
  ...apiKeysTrustPolicies,
  ...audit,
  ...endpointSearch,
  ...environments,
  ...journeyCoverage,
  ...journeyRunsLinks,
  ...journeyRuns,
  ...journeySchedules,
  ...journeys,
  ...limits,
  ...principals,
  ...principalsIdentityProviders,
  ...principalsInvitations,
  ...principalsRoles,
  ...principalsTeams,
  ...savedViews,
  ...scansApprovals,
  ...scansCurrentFindings,
  ...scansDescriptions,
  ...scansFindingAssignments,
  ...scansFindingComments,
  ...scansFindingDecisions,
  ...scansGates,
  ...scansRunComments,
  ...scansSeverityPolicy,
  ...scans,
  ...servicesBadges,
  ...servicesSnoozes,
  ...services,
  ...session,
  ...principalsSignIn,
};

/** Every operation of the HTTP API, by its id. */
export const OPERATIONS: Readonly<Record<string, Operation>> = ALL;

/** The operation that is declared with an address. */
export type OperationAt<A extends Address> = Extract<(typeof ALL)[keyof typeof ALL], A>;
