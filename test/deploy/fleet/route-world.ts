import { randomUUID } from "node:crypto";
import { createJourney, storeDocument } from "@waymark/test-support/journeys.ts";
import { decisionOf } from "@waymark/test-support/key-suite/finding-examples.ts";
import { trustPolicyOf } from "@waymark/test-support/key-suite/route-cases.ts";
import { abortedResult, type RouteWorld } from "@waymark/test-support/key-suite/world.ts";
import { descriptionOf } from "@waymark/test-support/descriptions.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import type { Fleet } from "./fleet.ts";
import { untilCompleted } from "./scans.ts";

/** The data of every request, made through the interface itself. The example journey must have run. */
export async function createRouteWorld(
  fleet: Fleet,
): Promise<RouteWorld & { anotherRawKey(): Promise<string> }> {
  const { http } = fleet;
  const send = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await http.request<T>(method, path, { body });
    if (answer.status >= 400) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
    return answer.body;
  };
  const post = <T>(path: string, body: unknown) => send<T>("POST", path, body);

  const payload = scanPayload({ serviceName: "service-7" });
  const sendAnother = () => post<{ scanRunId: string; serviceId: string }>("/api/scans/ingest", payload);
  const scan = await sendAnother();
  await untilCompleted(fleet, [scan]);
  await send(
    "PUT",
    `/api/scan-runs/${scan.scanRunId}/description?waitSeconds=20`,
    descriptionOf(payload.endpoints),
  );
  const newKey = (scopes = ["services:read"]) =>
    post<{ id: string; rawKey: string }>("/api/api-keys", {
      name: randomUUID(),
      ownerPrincipalType: "service_account",
      scopes,
    });
  const newEnvironment = (name: string = randomUUID()) => post<{ id: string }>("/api/environments", { name });
  const environmentName = `staging-${randomUUID()}`;
  const { id: environmentId } = await newEnvironment(environmentName);
  const environment = `/api/environments/${environmentId}`;
  const journeyId = await createJourney(fleet);
  const description = await storeDocument(fleet, { path: `${randomUUID()}.yaml`, text: "openapi: 3.1.0\n" });
  const { programId } = await post<{ programId: string }>("/api/journey-runs", { journeyId, environmentId });
  const ended = await endedRun(fleet);
  const anotherScheduleId = async () =>
    (
      await post<{ id: string }>("/api/journey-schedules", {
        name: randomUUID(),
        journeyId,
        environmentId,
        cron: "0 0 1 1 *",
      })
    ).id;
  const anotherRole = async () => {
    const name = `r-${randomUUID()}`;
    await send("PUT", `/api/roles/${name}`, { permissions: ["principals:manage"] });
    return name;
  };
  const newInvitation = async (role?: string) =>
    post<{ id: string; url: string }>("/api/invitations", {
      email: `${randomUUID()}@example.com`,
      roles: [{ role: role ?? (await anotherRole()) }],
    });
  const anotherUserId = async (role?: string) => {
    const token = (await newInvitation(role)).url.split("=").at(-1);
    return (await post<{ userId: string }>("/api/invitation-acceptances", { token, displayName: "User" }))
      .userId;
  };
  const anotherTeamId = async () =>
    (await post<{ id: string }>("/api/teams", { slug: `t-${randomUUID()}`, displayName: "Team" })).id;
  return {
    organizationId: fleet.organizationId,
    serviceName: "service-7",
    serviceId: scan.serviceId,
    scanRunId: scan.scanRunId,
    anotherScanRunId: async () => (await sendAnother()).scanRunId,
    async anotherService() {
      const name = randomUUID();
      const { serviceId } = await post<{ serviceId: string }>(
        "/api/scans/ingest",
        scanPayload({ serviceName: name }),
      );
      return { id: serviceId, name };
    },
    apiKeyId: (await newKey()).id,
    environmentId,
    environmentName,
    journeyId,
    descriptionId: description.id,
    journeyRunId: ended.id,
    artifact: ended.artifact,
    abortedResult: abortedResult(programId, environmentName),
    scheduleId: await anotherScheduleId(),
    anotherScheduleId,
    anotherTrustPolicyId: async () =>
      (await post<{ id: string }>("/api/trust-policies", trustPolicyOf(fleet))).id,
    anotherPrincipalId: async () =>
      (await post<{ id: string }>("/api/principals", { type: "service_account", displayName: randomUUID() }))
        .id,
    anotherUserId: () => anotherUserId(),
    anotherViewerId: () => anotherUserId("viewer"),
    anotherRole,
    anotherInvitationId: async () => (await newInvitation()).id,
    roleGrantOf: async (principalId) =>
      (
        await post<{ id: string }>(`/api/principals/${principalId}/role-grants`, {
          role: await anotherRole(),
        })
      ).id,
    anotherTeamId,
    anotherIdentityProviderId: async () => randomUUID(),
    async memberOf(teamId) {
      const principalId = await anotherUserId();
      await send("PUT", `/api/teams/${teamId}/members/${principalId}`, {});
      return principalId;
    },
    teamRoleGrantOf: async (teamId) =>
      (await post<{ id: string }>(`/api/teams/${teamId}/role-grants`, { role: await anotherRole() })).id,
    anotherDecisionId: async () =>
      (await post<{ id: string }>("/api/finding-decisions", { ...decisionOf(scan), code: randomUUID() })).id,
    anotherCommentId: async () =>
      (
        await post<{ id: string }>("/api/finding-comments", {
          serviceId: scan.serviceId,
          fingerprint: "0".repeat(32),
          text: "seen",
        })
      ).id,
    anotherRunCommentId: async () =>
      (await post<{ id: string }>(`/api/scan-runs/${scan.scanRunId}/comments`, { text: "seen" })).id,
    anotherRunLink: async () => {
      const links = `/api/journey-runs/${ended.id}/links`;
      return `${links}/${(await post<{ id: string }>(links, {})).id}`;
    },
    environmentRevision: async () => (await send<{ revision: number }>("GET", environment)).revision,
    anotherEnvironmentId: async () => (await newEnvironment()).id,
    async anotherSecretName() {
      const name = `S${randomUUID().replaceAll("-", "_")}`;
      await send("PUT", `${environment}/secrets/${name}`, {
        value: randomUUID(),
        hosts: ["api.example.com"],
      });
      return name;
    },
    async releasedJourneyId() {
      await send("PUT", `${environment}/releases/${journeyId}`, { version: 1 });
      return journeyId;
    },
    anotherJourneyId: () => createJourney(fleet),
    anotherKeyId: async (scopes) => (await newKey(scopes)).id,
    anotherRawKey: async () => (await newKey()).rawKey,
  };
}

/** The example journey's, with its steps and its result. */
async function endedRun({ http }: Fleet): Promise<{ id: string; artifact: string }> {
  const { body } = await http.get<{ runs: { id: string; status: string }[] }>("/api/journey-runs");
  const id = body.runs.find(({ status }) => status === "passed")?.id;
  if (id === undefined) throw new Error("no journey has passed");
  const run = await http.get<{ artifact: string }>(`/api/journey-runs/${id}`);
  return { id, artifact: run.body.artifact };
}
