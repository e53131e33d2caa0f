// Invented services and their growth: the same on every machine and at every time.
import type {
  NormalizedEndpoint,
  NormalizedFinding,
  ScanIngestionPayload,
  Severity,
} from "@waymark/shared/scans/schema.ts";
import { createHash } from "node:crypto";

interface DemoService {
  name: string;
  title: string;
  resources: readonly string[];
  runs: number;
  /** Resources at the first and at the last run. */
  from: number;
  to: number;
  /** How many of 100 endpoints have a finding at the first and at the last run. */
  findings: readonly [number, number];
}

export const DEMO_SERVICES: readonly DemoService[] = [
  {
    name: "payments",
    title: "Payments API",
    resources: [
      "accounts",
      "payments",
      "refunds",
      "payouts",
      "disputes",
      "mandates",
      "invoices",
      "customers",
      "cards",
      "webhooks",
      "balances",
      "transfers",
      "fees",
      "reports",
    ],
    runs: 36,
    from: 6,
    to: 14,
    findings: [34, 9],
  },
  {
    name: "identity",
    title: "Identity",
    resources: ["users", "groups", "roles", "sessions", "devices", "invitations", "tokens"],
    runs: 22,
    from: 4,
    to: 7,
    findings: [10, 16],
  },
  {
    name: "shipping",
    title: "Shipping",
    resources: ["shipments", "parcels", "labels", "carriers", "rates", "pickups", "tracking", "addresses"],
    runs: 30,
    from: 5,
    to: 8,
    findings: [22, 0],
  },
  {
    name: "search",
    title: "Search",
    resources: ["indexes", "documents", "synonyms", "queries"],
    runs: 14,
    from: 4,
    to: 3,
    findings: [6, 8],
  },
  {
    name: "notifications",
    title: "Notifications",
    resources: ["messages", "templates", "channels", "subscriptions", "deliveries"],
    runs: 18,
    from: 2,
    to: 5,
    findings: [12, 12],
  },
  {
    name: "legacy-gateway",
    title: "Gateway",
    resources: Array.from({ length: 286 }, (_, index) => `partners/p${100 + index}/orders`),
    runs: 9,
    from: 270,
    to: 286,
    findings: [24, 25],
  },
];

const ACTIONS = [
  { method: "GET", path: "", verb: "list", what: "List" },
  { method: "POST", path: "", verb: "create", what: "Create" },
  { method: "GET", path: "/{id}", verb: "get", what: "Read" },
  { method: "PATCH", path: "/{id}", verb: "update", what: "Change" },
  { method: "DELETE", path: "/{id}", verb: "delete", what: "Remove" },
  { method: "GET", path: "/{id}/events", verb: "listEventsOf", what: "List the events of" },
  { method: "POST", path: "/{id}/archive", verb: "archive", what: "Archive" },
] as const;

const RULES: readonly { code: string; severity: Severity; message: string }[] = [
  {
    code: "security-defined",
    severity: "critical",
    message: "Every operation should have security defined on it or on the root level.",
  },
  {
    code: "no-ambiguous-paths",
    severity: "high",
    message: "Paths should resolve unambiguously: this one looks like another.",
  },
  {
    code: "operation-4xx-response",
    severity: "medium",
    message: "Operation must have at least one `4XX` response.",
  },
  {
    code: "operation-summary",
    severity: "low",
    message: "Operation object should contain a `summary` field.",
  },
  { code: "tag-description", severity: "low", message: "Tag object should contain a `description` field." },
  { code: "operation-description", severity: "info", message: "Describe what callers can rely on." },
];

/** Returns the scan that one run of the service submits: the contract as it was at that time. */
export function demoPayload(service: DemoService, run: number): ScanIngestionPayload {
  const progress = service.runs === 1 ? 1 : run / (service.runs - 1);
  // In steps: most scans of a fleet repeat the one before.
  const step = Math.floor(progress * 10) / 10;
  const count = Math.round(service.from + (service.to - service.from) * step);
  const version = `${1 + Math.floor(step * 3)}.${Math.floor(step * 10)}.0`;
  const endpoints = service.resources
    .slice(0, count)
    .flatMap((resource) => endpointsOf(resource, step))
    .slice(0, 2000);
  const share = service.findings[0] + (service.findings[1] - service.findings[0]) * step;
  const findings = endpoints.flatMap((endpoint) => findingsOf(endpoint, service.name, share)).slice(0, 500);
  const hash = createHash("sha256")
    .update(JSON.stringify([service.name, version]))
    .digest("hex");
  return {
    service: { name: service.name },
    spec: { hash, format: "openapi", version, title: service.title },
    endpoints,
    findings,
  };
}

function endpointsOf(resource: string, step: number): NormalizedEndpoint[] {
  const name = resource.split("/").map(capitalize).join("");
  return ACTIONS.filter(({ verb }) => exists(`${resource} ${verb}`, step)).map((action) => ({
    method: action.method,
    path: `/v1/${resource}${action.path}`,
    operationId: `${action.verb}${name}`,
    tags: [resource.split("/")[0] ?? resource],
    summary: `${action.what} ${resource.split("/").join(" ")}${step > 0.8 && action.verb === "list" ? ", newest first" : ""}`,
  }));
}

/** Some endpoints come late, and some leave. */
function exists(key: string, step: number): boolean {
  const chance = chanceOf(key);
  if (chance < 12) return step > 0.45;
  return chance < 94 || step < 0.75;
}

function findingsOf(endpoint: NormalizedEndpoint, service: string, share: number): NormalizedFinding[] {
  const key = `${service} ${endpoint.method} ${endpoint.path}`;
  if (chanceOf(key) >= share) return [];
  // Heavier findings are rarer.
  const rule = RULES[Math.floor(Math.sqrt(chanceOf(`rule ${key}`) / 100) * RULES.length)] ?? RULES[0];
  return rule === undefined ? [] : [{ ...rule, method: endpoint.method, path: endpoint.path }];
}

/** 0 to 99, by the text alone. */
function chanceOf(text: string): number {
  return createHash("sha256").update(text).digest().readUInt32BE(0) % 100;
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
