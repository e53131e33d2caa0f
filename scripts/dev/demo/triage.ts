import type { Credentials } from "../private-files.ts";
import { callApi } from "./call-api.ts";

interface Finding {
  serviceId: string;
  serviceName: string;
  code: string;
  severity: string;
  method: string | null;
  path: string | null;
  message: string;
}

/** Decides about some of the demo's findings, gives others to a team, and sets deadlines. */
export async function triageDemo(credentials: Credentials): Promise<void> {
  const { findings } = await callApi<{ findings: Finding[] }>(credentials, "GET", "/api/findings?limit=200");
  const of = (...services: string[]) => findings.filter(({ serviceName }) => services.includes(serviceName));
  const decide = (chosen: readonly Finding[], decision: object) =>
    chosen.length > 0 &&
    callApi(credentials, "POST", "/api/finding-decision-batches", {
      ...decision,
      findings: chosen.map((finding) => ({ ...findingIn(finding), maxSeverity: finding.severity })),
    });
  await decide(of("search"), { kind: "wont_fix", reason: "Anybody may search: the shop's first page does." });
  await decide(of("reviews").slice(0, 2), {
    kind: "accepted_risk",
    reason: "Reviews are public until the redesign.",
  });
  await callApi(credentials, "POST", "/api/finding-assignment-batches", {
    findings: of("shipping", "inventory", "returns").slice(0, 5).map(findingIn),
    assignee: { team: "logistics" },
  });
}

function findingIn({ serviceId, code, method, path, message }: Finding) {
  return { serviceId, code, finding: { method, path, message } };
}
