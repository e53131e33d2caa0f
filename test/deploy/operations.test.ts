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
  const { groups } = parse(read("deploy/helm/waymark/alerts.yml")) as { groups: { rules: Alert[] }[] };
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

describe("the jobs of the alerts", () => {
  const jobs = [...read("deploy/helm/waymark/alerts.yml").matchAll(/job=~?"([^"]+)"/g)].map(
    (match) => match[1] ?? "",
  );

  it("are scraped under these names, in compose and in Kubernetes", () => {
    expect(jobs.length).toBeGreaterThan(1);
    const prometheus = parse(read("deploy/prometheus.yml")) as { scrape_configs: { job_name: string }[] };
    expect(prometheus.scrape_configs.map((config) => config.job_name)).toEqual(
      expect.arrayContaining(["waymark-api", "waymark-worker"]),
    );
    const monitor = parse(read("deploy/kubernetes/components/prometheus/pod-monitor.yaml")) as PodMonitor;
    const [endpoint] = monitor.spec.podMetricsEndpoints;
    expect(endpoint?.relabelings).toEqual([
      {
        sourceLabels: ["__meta_kubernetes_pod_label_app_kubernetes_io_component"],
        targetLabel: "job",
        replacement: "waymark-$1",
      },
    ]);
    const pods = readdirSync(path.join(root, "deploy/kubernetes/base"))
      .filter((file) => file.endsWith(".yaml"))
      .map((file) => read(`deploy/kubernetes/base/${file}`))
      .filter((text) => text.includes("name: metrics, containerPort"));
    const made = pods.flatMap((text) => {
      expect(text).toContain("app.kubernetes.io/name: waymark");
      return /app\.kubernetes\.io\/component: (\w+)/.exec(text)?.[1] ?? [];
    });
    const known = made.map((component) => `waymark-${component}`);
    for (const job of jobs.flatMap((pattern) => pattern.split("|"))) expect(known).toContain(job);
  });
});

interface PodMonitor {
  spec: {
    podMetricsEndpoints: { relabelings: object[] }[];
  };
}

describe("the page", () => {
  it("links to files that exist", () => {
    const links = [...operations.matchAll(/\]\(([^)#]+)\)/g)].map((match) => match[1] ?? "");
    expect(links.length).toBeGreaterThan(10);
    expect(links.filter((link) => !existsSync(path.join(root, "docs", link)))).toEqual([]);
  });
});

describe("the pages of single tasks", () => {
  const folder = "docs/operations";
  const pages = readdirSync(path.join(root, folder));

  it("are linked from the page of all, and link to files that exist", () => {
    expect(pages.length).toBeGreaterThan(6);
    for (const page of pages) {
      expect(operations).toContain(`](operations/${page})`);
      const links = [...read(`${folder}/${page}`).matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(
        (match) => match[1] ?? "",
      );
      expect(links.filter((link) => !existsSync(path.join(root, folder, link)))).toEqual([]);
    }
  });

  it("have the pooler's settings with which deploy/test.sh tries every request", () => {
    const [, settings = ""] = /```ini\n(.*?)```/s.exec(read(`${folder}/poolers.md`)) ?? [];
    const tried = read("test/deploy/fleet/bases/pooler.sh").replace("$MAX_PREPARED_STATEMENTS", "100");
    const lines = settings.trim().split("\n");
    expect(lines.length).toBeGreaterThan(2);
    for (const line of lines) expect(tried).toContain(`${line}\n`);
    expect(read("test/deploy/fleet/compose.yaml")).toContain("${MAX_PREPARED_STATEMENTS:-100}");
  });
});

describe("the image", () => {
  it("has the manifest of every workspace, which the lockfile needs", () => {
    const { workspaces } = JSON.parse(read("package.json")) as { workspaces: string[] };
    const dockerfile = read("deploy/Dockerfile");
    for (const workspace of workspaces) {
      expect(dockerfile).toContain(`COPY ${workspace}/package.json ${workspace}/`);
    }
  });

  it("builds the console with every package, of which it may use any", () => {
    const [, consoleStage = ""] = read("deploy/Dockerfile").split(/^FROM /m);
    expect(consoleStage).toContain("AS console\n");
    expect(consoleStage.split("RUN npm run build")[0]).toContain("COPY packages packages\n");
  });

  it("has the packed command of its own version, which the api serves", () => {
    const stages = read("deploy/Dockerfile").split(/^FROM /m);
    const pack = stages.find((stage) => stage.startsWith("console AS command\n")) ?? "";
    expect(pack).toContain(
      "npm pack --silent --ignore-scripts=false -w waymark --pack-destination downloads",
    );
    expect(stages.at(-1)).toContain("COPY --from=command /app/downloads /app/downloads\n");
    expect(read(".dockerignore")).toContain("\n!cli\n");
  });

  it("has a cache of compiled code that was made by the user that runs it, and belongs to this user", () => {
    const stages = read("deploy/Dockerfile").split(/^FROM /m);
    const [, , installed = ""] = stages;
    const run = stages.at(-1) ?? "";
    const user = /^USER (\S+)$/m.exec(run)?.[1];
    expect(user).toBe("1000:1000");
    expect(installed.split(/^RUN node /m)[0]).toContain(`USER ${user}\n`);
    expect(run).toContain(`COPY --from=installed --chown=${user} /compile-cache /compile-cache\n`);
    expect(run).toContain("NODE_COMPILE_CACHE=/compile-cache\n");
  });
});

const KNOWN = new Set(
  [ApiEnvironment, WorkerEnvironment, OwnerEnvironment].flatMap((schema) => Object.keys(schema.shape)),
);

describe("the compose file", () => {
  interface Service {
    command?: string[];
    environment?: Record<string, string | null>;
    stop_grace_period?: string;
  }
  const { services } = parse(read("deploy/compose.yaml"), { merge: true }) as {
    services: Record<string, Service>;
  };

  it("sets only existing variables, and runs only existing files", () => {
    for (const name of ["migrate", "admin", "api", "worker"]) {
      const { command = [], environment = {} } = services[name] ?? {};
      const variables = Object.keys(environment).map((variable) => variable.replace(/_FILE$/, ""));
      expect(variables.filter((variable) => !KNOWN.has(variable))).toEqual([]);
      expect(variables).toContain("DATABASE_URL");
      expect(command.slice(1).filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
    }
  });

  it("passes on every variable that does not belong to the image or its networks", () => {
    const own = [
      "HOST",
      "PORT",
      "METRICS_HOST",
      "METRICS_PORT",
      "DOWNLOADS_FOLDER",
      "DATABASE_DIRECT_URL",
      "DATABASE_REPLICA_URL",
    ];
    const ofNode = ["NODE_EXTRA_CA_CERTS", "NODE_COMPILE_CACHE"];
    for (const [name, schema] of [
      ["api", ApiEnvironment],
      ["worker", WorkerEnvironment],
    ] as const) {
      const { environment = {} } = services[name] ?? {};
      const passed = new Set(Object.keys(environment).map((variable) => variable.replace(/_FILE$/, "")));
      const wanted = Object.keys(schema.shape).filter((variable) => ![...own, ...ofNode].includes(variable));
      expect(wanted.filter((variable) => !passed.has(variable))).toEqual([]);
    }
  });

  it("gives processes enough time to end, and the load balancer time to notice", () => {
    for (const name of ["api", "worker"]) {
      const delayMs = Number(services[name]?.environment?.["SHUTDOWN_DELAY_MS"] ?? 0);
      const graceS = Number.parseInt(services[name]?.stop_grace_period ?? "0", 10);
      expect(graceS).toBeGreaterThan(delayMs / 1000 + 30);
    }
    const [, inter = "", fall = ""] = /inter (\d+)s fall (\d+)/.exec(read("deploy/haproxy.cfg")) ?? [];
    const noticedMs = Number(inter) * Number(fall) * 1000;
    expect(noticedMs).toBeGreaterThan(0);
    expect(Number(services["api"]?.environment?.["SHUTDOWN_DELAY_MS"])).toBeGreaterThanOrEqual(2 * noticedMs);
  });
});

describe("the manifests for Kubernetes", () => {
  const folder = "deploy/kubernetes/base";
  const files = readdirSync(path.join(root, folder)).filter((file) => file.endsWith(".yaml"));
  const documents = files.flatMap((file) =>
    parseAllDocuments(read(`${folder}/${file}`)).map((document) => document.toJS() as Manifest),
  );
  interface Container {
    name: string;
    command: string[];
    envFrom: { configMapRef: { name: string } }[];
    ports?: { name: string; containerPort: number }[];
    livenessProbe?: { httpGet: { path: string; port: string } };
    readinessProbe?: { httpGet: { path: string; port: string } };
  }
  interface Manifest {
    kind: string;
    metadata?: { name: string };
    resources?: string[];
    images?: { newTag: string }[];
    patches?: { target: { kind: string; name: string }; patch: string }[];
    configMapGenerator?: { name: string; literals: string[] }[];
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

  it("have a migration for each release, because a Job can't be changed", () => {
    const { images = [], patches = [] } =
      documents.find((document) => document.kind === "Kustomization") ?? ({} as Partial<Manifest>);
    const job = documents.find((document) => document.kind === "Job");
    const [patch] = patches.filter(({ target }) => target.kind === "Job");
    expect(patch?.target.name).toBe(job?.metadata?.name);
    expect(JSON.parse(patch?.patch ?? "")).toEqual([
      { op: "replace", path: "/metadata/name", value: `${job?.metadata?.name}-${images[0]?.newTag}` },
    ]);
  });

  it("set only existing variables", () => {
    expect(Object.keys(settings).filter((name) => !KNOWN.has(name))).toEqual([]);
    expect(() => WorkerEnvironment.parse({ DATABASE_URL: "postgres://x/y", ...settings })).not.toThrow();
    expect(() => ApiEnvironment.parse({ DATABASE_URL: "postgres://x/y", ...settings })).not.toThrow();
  });

  it("leave no role without a deployment, and give a deployment's settings to it alone", () => {
    const generators = documents.flatMap((document) => document.configMapGenerator ?? []);
    const rolesOf = (name: string) =>
      generators.find((one) => one.name === name)?.literals.find((one) => one.startsWith("WORKER_ROLES="));
    const used = deployments.map(({ metadata, spec }) => {
      const [container] = spec?.template?.spec.containers ?? [];
      return [metadata?.name, container?.envFrom.map(({ configMapRef }) => configMapRef.name)];
    });
    expect(Object.fromEntries(used)).toEqual({
      "waymark-api": ["waymark", "waymark-api"],
      "waymark-journeys": ["waymark", "waymark-journeys"],
      "waymark-worker": ["waymark", "waymark-worker"],
    });
    expect(["waymark-worker", "waymark-journeys"].map(rolesOf)).toEqual([
      "WORKER_ROLES=scans",
      "WORKER_ROLES=journeys",
    ]);
  });

  it("restart by /healthz, route by /readyz, run existing files, and give them enough time to end", () => {
    expect(deployments.map((deployment) => deployment.metadata?.name)).toEqual([
      "waymark-api",
      "waymark-journeys",
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
    const api = deployments.find(({ metadata }) => metadata?.name === "waymark-api")?.spec?.template?.spec;
    const delayS = Number(settings["SHUTDOWN_DELAY_MS"]) / 1000;
    expect(delayS).toBeGreaterThanOrEqual(5);
    expect(api?.terminationGracePeriodSeconds).toBeGreaterThan(delayS + 30);
  });
});
