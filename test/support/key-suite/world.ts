import { createHash, randomUUID } from "node:crypto";
import { zstdCompressSync } from "node:zlib";
import { descriptionOf } from "../descriptions.ts";
import { createKey } from "../keys.ts";
import { storeRoleGrant, storeTeam, storeTeamMember, storeUser } from "../principals.ts";
import { scanPayload } from "../scan-payload.ts";
import { ingest, waitForRun } from "../scans.ts";
import { createJourney, storeDocument } from "../journeys.ts";
import { query } from "../sql.ts";
import {
  createHostedOrganization,
  type Organization,
  type Stack,
  type StackOptions,
  startStack,
} from "../stack.ts";

/** The data for the routes, and another organization. */
export interface KeySuiteWorld extends RouteWorld, AsyncDisposable {
  stack: Stack;
  strangers: Organization;
}

/** The resources that the routes' requests name: an organization with a service, a completed run, keys and a journey. */
export interface RouteWorld {
  organizationId: string;
  serviceName: string;
  serviceId: string;
  scanRunId: string;
  /** A run of the service without a description. */
  anotherScanRunId(): Promise<string>;
  /** A service that the request may delete. */
  anotherService(): Promise<{ id: string; name: string }>;
  apiKeyId: string;
  environmentId: string;
  environmentName: string;
  journeyId: string;
  /** A description that the journey does not use. */
  descriptionId: string;
  /** A run of the journey that has ended. */
  journeyRunId: string;
  /** SHA-256 of the artifact of that run. */
  artifact: string;
  /** A result of the journey that was broken off before its first step, without its `runId`. */
  abortedResult: Record<string, unknown>;
  /** A schedule of the journey in the environment. */
  scheduleId: string;
  /** Such a schedule that the request may delete. */
  anotherScheduleId(): Promise<string>;
  /** A trust policy that the request may change or delete. */
  anotherTrustPolicyId(): Promise<string>;
  /** A service account that the request may change. */
  anotherPrincipalId(): Promise<string>;
  /** A user without roles. */
  anotherUserId(): Promise<string>;
  /** A user who may read every service. */
  anotherViewerId(): Promise<string>;
  anotherInvitationId(): Promise<string>;
  anotherIdentityProviderId(): Promise<string>;
  /** A role of the organization's own, with the permission to grant it. */
  anotherRole(): Promise<string>;
  /** A grant of such a role to the user. */
  roleGrantOf(principalId: string): Promise<string>;
  /** A team without members and roles. */
  anotherTeamId(): Promise<string>;
  /** A user who is a member of the team. */
  memberOf(teamId: string): Promise<string>;
  /** A grant of such a role to the team. */
  teamRoleGrantOf(teamId: string): Promise<string>;
  environmentRevision(): Promise<number>;
  /** An environment that the request may delete. */
  anotherEnvironmentId(): Promise<string>;
  /** A secret of the environment that the request may delete. */
  anotherSecretName(): Promise<string>;
  /** The journey, released for the environment. */
  releasedJourneyId(): Promise<string>;
  /** A journey that the request may archive. */
  anotherJourneyId(): Promise<string>;
  /** A decision about findings that the request may revoke. */
  anotherDecisionId(): Promise<string>;
  anotherCommentId(): Promise<string>;
  anotherRunCommentId(): Promise<string>;
  /** The address of a link to a run that the request may end. */
  anotherRunLink(): Promise<string>;
  /** A key that the request may revoke. */
  anotherKeyId(scopes?: string[]): Promise<string>;
}

export async function createWorld(options: StackOptions = {}): Promise<KeySuiteWorld> {
  // Each of some 150 operations is tried with several unusable keys, from one address.
  const stack = await startStack({ ...options, apiEnv: { RATE_LIMIT_FAILED_AUTH_PER_MINUTE: "off" } });
  const strangers = await createHostedOrganization(stack.databaseUrl, "Strangers");
  const serviceName = "payments-eu";
  const sent = await ingest(stack, scanPayload({ serviceName }));
  await waitForRun(stack, sent.body.scanRunId);
  await storeDescription(stack, sent.body.scanRunId);

  const anotherKeyId = async (scopes = ["services:read"]): Promise<string> => {
    const rawKey = await createKey(stack, scopes);
    const prefix = rawKey.slice(0, 16);
    const [row] = await query<{ id: string }>(stack, "SELECT id FROM api_keys WHERE prefix = $1", [prefix]);
    return row?.id ?? "";
  };
  const environmentName = "staging-eu";
  const created = await stack.http.post<{ id: string }>("/api/environments", { name: environmentName });
  const environment = `/api/environments/${created.body.id}`;
  const anotherJourneyId = () => createJourney(stack);
  const journeyId = await anotherJourneyId();
  const description = await storeDocument(stack, { path: "api.openapi.yaml", text: "openapi: 3.1.0\n" });
  const { journeyRunId, artifact, programId } = await endedRun(stack, {
    journeyId,
    environmentId: created.body.id,
  });
  const anotherScheduleId = async (): Promise<string> => {
    const [row] = await query<{ id: string }>(
      stack,
      `INSERT INTO journey_schedules (organization_id, id, name, document_id, environment_id, cron, time_zone, overlap, catch_up,
                                      jitter_seconds, next_due_at, next_at, created_by_key_id, updated_by_key_id)
       VALUES ($1, $2::uuid, $2::text, $3, $4, '0 0 1 1 *', 'UTC', 'skip', 'none', 0, now() + interval '1 day',
               now() + interval '1 day', $2::uuid, $2::uuid) RETURNING id`,
      [stack.organizationId, randomUUID(), journeyId, created.body.id],
    );
    return row?.id ?? "";
  };
  const anotherRole = async (): Promise<string> => {
    const name = `r-${randomUUID()}`;
    await query(
      stack,
      "INSERT INTO roles (organization_id, name, permissions) VALUES ($1, $2, '{principals:manage}')",
      [stack.organizationId, name],
    );
    return name;
  };
  const put = async (path: string, body: unknown) => {
    const { status, text } = await stack.http.request("PUT", `${environment}${path}`, { body });
    if (status >= 400) throw new Error(`PUT ${environment}${path} answered ${status}: ${text}`);
  };
  return {
    environmentId: created.body.id,
    environmentName,
    journeyId,
    descriptionId: description.id,
    journeyRunId,
    artifact,
    abortedResult: abortedResult(programId, environmentName),
    scheduleId: await anotherScheduleId(),
    anotherScheduleId,
    async anotherTrustPolicyId() {
      const [row] = await query<{ id: string }>(
        stack,
        `INSERT INTO trust_policies (organization_id, id, name, issuer, audience, conditions, scopes, lifetime_seconds,
                                     created_by_key_id, updated_by_key_id)
         VALUES ($1, $2::uuid, $2::text, 'https://issuer.example.com', 'waymark', '{"sub": "x"}', '[]', 900, $2::uuid, $2::uuid)
         RETURNING id`,
        [stack.organizationId, randomUUID()],
      );
      return row?.id ?? "";
    },
    async anotherPrincipalId() {
      const [row] = await query<{ id: string }>(
        stack,
        `INSERT INTO principals (organization_id, id, kind, display_name)
         VALUES ($1, $2::uuid, 'service_account', $2::text) RETURNING id`,
        [stack.organizationId, randomUUID()],
      );
      return row?.id ?? "";
    },
    anotherUserId: async () => (await storeUser(stack, { roles: [] })).id,
    anotherViewerId: async () => (await storeUser(stack, { roles: ["viewer"] })).id,
    anotherRole,
    async anotherInvitationId() {
      const body = { email: `${randomUUID()}@example.com`, roles: [{ role: "viewer" }] };
      return (await stack.http.post<{ id: string }>("/api/invitations", body)).body.id;
    },
    roleGrantOf: async (principalId) => storeRoleGrant(stack, { principalId, role: await anotherRole() }),
    anotherTeamId: () => storeTeam(stack),
    async memberOf(teamId) {
      const { id } = await storeUser(stack, { roles: [] });
      await storeTeamMember(stack, { teamId, principalId: id });
      return id;
    },
    async anotherIdentityProviderId() {
      await query(stack, "DELETE FROM identity_providers");
      const [row] = await query<{ id: string }>(
        stack,
        `INSERT INTO identity_providers (organization_id, id, display_name, issuer, client_id, scopes, email_domains, groups,
                                         groups_claim, trusts_email, roles)
         VALUES ($1, $2, 'ID', 'https://id.example', 'waymark', '{}', '{example.com}', '{}', 'groups', false, '[]') RETURNING id`,
        [stack.organizationId, randomUUID()],
      );
      return row?.id ?? "";
    },
    teamRoleGrantOf: async (teamId) => storeRoleGrant(stack, { teamId, role: await anotherRole() }),
    async anotherDecisionId() {
      const decision = { kind: "wont_fix", serviceId: sent.body.serviceId, code: randomUUID(), reason: "r" };
      return (await stack.http.post<{ id: string }>("/api/finding-decisions", decision)).body.id;
    },
    async anotherCommentId() {
      const comment = { serviceId: sent.body.serviceId, fingerprint: "0".repeat(32), text: "seen" };
      return (await stack.http.post<{ id: string }>("/api/finding-comments", comment)).body.id;
    },
    async anotherRunCommentId() {
      const comments = `/api/scan-runs/${sent.body.scanRunId}/comments`;
      return (await stack.http.post<{ id: string }>(comments, { text: "seen" })).body.id;
    },
    async anotherRunLink() {
      const links = `/api/journey-runs/${journeyRunId}/links`;
      return `${links}/${(await stack.http.post<{ id: string }>(links, {})).body.id}`;
    },
    async anotherService() {
      const [row] = await query<{ id: string; name: string }>(
        stack,
        "INSERT INTO services (organization_id, id, name) VALUES ($1, $2::uuid, $2::text) RETURNING id, name",
        [stack.organizationId, randomUUID()],
      );
      return row ?? { id: "", name: "" };
    },
    async environmentRevision() {
      return (await stack.http.get<{ revision: number }>(environment)).body.revision;
    },
    async anotherEnvironmentId() {
      const [row] = await query<{ id: string }>(
        stack,
        `INSERT INTO environments (organization_id, id, name, servers, variables, inputs, allowed_hosts, is_protected,
                                   stores_bodies, created_by_key_id)
         VALUES ($1, $2::uuid, $2::text, '{}', '{}', '{}', '{}', false, true, $2::uuid) RETURNING id`,
        [stack.organizationId, randomUUID()],
      );
      return row?.id ?? "";
    },
    async anotherSecretName() {
      const name = `S${randomUUID().replaceAll("-", "_")}`;
      await put(`/secrets/${name}`, { value: randomUUID(), hosts: ["api.example.com"] });
      return name;
    },
    async releasedJourneyId() {
      await put(`/releases/${journeyId}`, { version: 1 });
      return journeyId;
    },
    stack,
    organizationId: stack.organizationId,
    strangers,
    serviceName,
    serviceId: sent.body.serviceId,
    scanRunId: sent.body.scanRunId,
    async anotherScanRunId() {
      return (await ingest(stack, scanPayload({ serviceName }))).body.scanRunId;
    },
    apiKeyId: await anotherKeyId(),
    anotherJourneyId,
    anotherKeyId,
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  };
}

async function storeDescription(stack: Stack, scanRunId: string): Promise<void> {
  const body = descriptionOf(scanPayload({}).endpoints);
  const { status, text } = await stack.http.request("PUT", `/api/scan-runs/${scanRunId}/description`, {
    body,
  });
  if (status >= 400) throw new Error(`the description was refused with ${status}: ${text}`);
}

/** Starts a run and ends it as a worker does. */
async function endedRun(
  stack: Stack,
  target: { journeyId: string; environmentId: string },
): Promise<{ journeyRunId: string; artifact: string; programId: string }> {
  const { body, text } = await stack.http.post<{ runId: string; artifact: string; programId: string }>(
    "/api/journey-runs",
    target,
  );
  if (body.runId === undefined) throw new Error(`the run was refused: ${text}`);
  const head = JSON.stringify({
    schema: "journey-result/1",
    runId: body.runId,
    status: "passed",
    journey: { id: "ping", title: "Ping", version: "1.0.0", overlays: [] },
    where: { runner: "cloud" },
    startedAt: new Date().toISOString(),
    ms: 1,
    acceptance: [],
    coverage: { operations: [], notInInventory: [] },
    teardown: { status: "none" },
    contract: { status: "none", strict: false, failures: 0 },
  });
  const step = JSON.stringify({
    id: "ping",
    phase: "main",
    status: "passed",
    ms: 1,
    attempts: [],
    assertions: [],
    contract: [],
    outputs: {},
  });
  const hash = createHash("sha256").update(head).digest();
  const { organizationId } = stack;
  await query(stack, "INSERT INTO blobs (organization_id, hash, size, bytes) VALUES ($1, $2, $3, $4)", [
    organizationId,
    hash,
    Buffer.byteLength(head),
    zstdCompressSync(head),
  ]);
  await query(
    stack,
    `INSERT INTO journey_run_steps (organization_id, run_id, seq, attempt, step_id, phase, status, ms, result)
     VALUES ($1, $2, 0, 1, 'ping', 'main', 'passed', 1, $3)`,
    [organizationId, body.runId, step],
  );
  await query(stack, "DELETE FROM journey_run_tickets WHERE run_id = $1", [body.runId]);
  await query(
    stack,
    `UPDATE journey_runs SET status = 'passed', ended_at = now(), outcome_digest = 'sha256:0', result_hash = $2
     WHERE id = $1`,
    [body.runId, hash],
  );
  return { journeyRunId: body.runId, artifact: body.artifact, programId: body.programId };
}

export function abortedResult(programId: string, environment: string): Record<string, unknown> {
  return {
    schema: "journey-result/1",
    artifact: programId,
    seed: "s",
    status: "aborted",
    error: { code: "cancelled", message: "The run was cancelled." },
    journey: { id: "Ping", title: "Ping", version: "1.0.0", overlays: [] },
    where: { runner: "cli", environment },
    startedAt: new Date().toISOString(),
    ms: 1,
    inputs: {},
    steps: [],
    acceptance: [],
    coverage: { operations: [], notInInventory: [] },
    outputs: {},
    teardown: { status: "none" },
    contract: { status: "none", strict: false, failures: 0 },
  };
}
