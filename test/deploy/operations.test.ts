import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import { ApiEnvironment, OwnerEnvironment } from "../../services/api/src/config.ts";
import { WorkerEnvironment } from "../../services/worker/src/config.ts";

const read = (file: string): string => readFileSync(path.join(root, file), "utf8");
const operations = read("docs/operations.md");

interface Alert {
  alert: string;
  annotations: { summary: string; runbook_url: string };
}

function alerts(): Alert[] {
  const { groups } = parse(read("deploy/alerts.yml")) as { groups: { rules: Alert[] }[] };
  return groups.flatMap((group) => group.rules);
}

describe("the alerts", () => {
  it("have one runbook each, and every runbook its alert", () => {
    const runbooks = [...operations.matchAll(/^### (Waymark\w+)$/gm)].map((match) => match[1] ?? "");
    expect(alerts().map((alert) => alert.alert)).toEqual(runbooks);
    for (const { alert, annotations } of alerts()) {
      expect(annotations.runbook_url).toBe(`docs/operations.md#${alert.toLowerCase()}`);
    }
  });
});

describe("the page", () => {
  it("links to files that exist", () => {
    const links = [...operations.matchAll(/\]\(([^)#]+)\)/g)].map((match) => match[1] ?? "");
    expect(links.length).toBeGreaterThan(10);
    expect(links.filter((link) => !existsSync(path.join(root, "docs", link)))).toEqual([]);
  });
});

describe("the image", () => {
  it("has the manifest of every workspace, or its install would not fit the lockfile", () => {
    const { workspaces } = JSON.parse(read("package.json")) as { workspaces: string[] };
    const dockerfile = read("deploy/Dockerfile");
    for (const workspace of workspaces) {
      expect(dockerfile).toContain(`COPY ${workspace}/package.json ${workspace}/`);
    }
  });
});

const KNOWN = new Set(
  [ApiEnvironment, WorkerEnvironment, OwnerEnvironment].flatMap((schema) => Object.keys(schema.shape)),
);

describe("the compose file", () => {
  interface Service {
    command?: string[];
    environment?: Record<string, string>;
    stop_grace_period?: string;
  }
  const { services } = parse(read("deploy/compose.yaml"), { merge: true }) as {
    services: Record<string, Service>;
  };

  it("sets only variables that there are, and runs files that exist", () => {
    for (const name of ["migrate", "admin", "api", "worker"]) {
      const { command = [], environment = {} } = services[name] ?? {};
      expect(Object.keys(environment).filter((variable) => !KNOWN.has(variable))).toEqual([]);
      expect(Object.keys(environment)).toContain("DATABASE_URL");
      expect(command.slice(1).filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
    }
  });

  it("gives processes the time that they take to end", () => {
    for (const name of ["api", "worker"]) {
      expect(Number.parseInt(services[name]?.stop_grace_period ?? "0", 10)).toBeGreaterThan(30);
    }
  });
});

describe("the manifests for Kubernetes", () => {
  const folder = "deploy/kubernetes";
  const files = readdirSync(path.join(root, folder)).filter((file) => file.endsWith(".yaml"));
  const documents = files.flatMap((file) =>
    parseAllDocuments(read(`${folder}/${file}`)).map((document) => document.toJS() as Manifest),
  );
  interface Container {
    name: string;
    command: string[];
    ports?: { name: string; containerPort: number }[];
    livenessProbe?: { httpGet: { path: string; port: string } };
    readinessProbe?: { httpGet: { path: string; port: string } };
  }
  interface Manifest {
    kind: string;
    metadata?: { name: string };
    resources?: string[];
    configMapGenerator?: { literals: string[] }[];
    spec?: {
      template?: { spec: { terminationGracePeriodSeconds?: number; containers: Container[] } };
    };
  }
  const deployments = documents.filter((document) => document.kind === "Deployment");
  const settings = Object.fromEntries(
    documents
      .flatMap((document) => document.configMapGenerator ?? [])
      .flatMap((generator) => generator.literals)
      .map((literal) => literal.split("=") as [string, string]),
  );

  it("are all part of the whole", () => {
    const listed = documents.find((document) => document.kind === "Kustomization")?.resources ?? [];
    expect(listed.toSorted()).toEqual(files.filter((file) => file !== "kustomization.yaml").toSorted());
  });

  it("set only variables that there are", () => {
    expect(Object.keys(settings).filter((name) => !KNOWN.has(name))).toEqual([]);
    expect(() => WorkerEnvironment.parse({ DATABASE_URL: "postgres://x/y", ...settings })).not.toThrow();
    expect(() => ApiEnvironment.parse({ DATABASE_URL: "postgres://x/y", ...settings })).not.toThrow();
  });

  it("restart by /healthz, route by /readyz, run files that exist, and give them the time to end", () => {
    expect(deployments.map((deployment) => deployment.metadata?.name)).toEqual([
      "waymark-api",
      "waymark-worker",
    ]);
    for (const deployment of deployments) {
      const pod = deployment.spec?.template?.spec;
      const [container] = pod?.containers ?? [];
      expect(container?.livenessProbe?.httpGet.path).toBe("/healthz");
      expect(container?.readinessProbe?.httpGet.path).toBe("/readyz");
      expect(existsSync(path.join(root, container?.command[1] ?? "missing"))).toBe(true);
      expect(container?.ports).toContainEqual({ name: "metrics", containerPort: 9464 });
      expect(pod?.terminationGracePeriodSeconds).toBeGreaterThan(
        Number(settings["WORKER_SHUTDOWN_MS"]) / 1000 + 10,
      );
    }
  });
});
