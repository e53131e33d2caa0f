import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { SECRET_VARIABLES } from "@waymark/server/lib/secret-files.ts";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import { loadConfig } from "../../services/api/src/config.ts";

const read = (file: string): string => readFileSync(path.join(root, file), "utf8");

/** A complete version, with or without a variant of the base system; or the image's digest. */
const EXACT = /@sha256:[0-9a-f]{64}$|:v?(\d+\.\d+\.\d+|1[0-9]\.\d+)(-[a-z0-9.-]+)?$/;

describe("the images", () => {
  const files = [
    "deploy/Dockerfile",
    "deploy/compose.yaml",
    "deploy/compose.observability.yaml",
    "deploy/gitlab/waymark-scan.yml",
    "deploy/kubernetes/admin/pod.yaml",
  ];
  const named = files.flatMap((file) =>
    [...read(file).matchAll(/^\s*(?:- )?(?:image:|NODE_IMAGE:|ARG NODE_IMAGE=|FROM) *(\S+)/gm)].map(
      (match) => {
        const name = (match[1] ?? "").replace(/^\$\{\w+:-(.*)\}$/, "$1");
        return [file, name] as const;
      },
    ),
  );
  // Built here, or another stage of the same file.
  const own = new Set(["waymark", "console", "installed", "${NODE_IMAGE}"]);
  const foreign = named.filter(([, name]) => !own.has(name));

  it("are found", () => {
    expect(foreign.map(([, name]) => name.split(":")[0])).toEqual([
      "node",
      "node",
      "postgres",
      "redis",
      "haproxy",
      "prom/prometheus",
      "grafana/grafana",
      "otel/opentelemetry-collector",
      "node",
      "registry.example.com/waymark",
    ]);
  });

  it.each(foreign)("of %s are exact: %s", (_file, name) => {
    expect(name).toMatch(EXACT);
  });

  it("have a base whose digest is an argument of the build", () => {
    const bases = [...read("deploy/Dockerfile").matchAll(/^FROM (\S+)/gm)].map((match) => match[1]);
    expect(bases).toEqual(["${NODE_IMAGE}", "${NODE_IMAGE}", "installed", "console", "${NODE_IMAGE}"]);
    expect(`node:24.21.0-bookworm-slim@sha256:${"0a".repeat(32)}`).toMatch(EXACT);
    expect(parse(read("deploy/compose.yaml"))).toMatchObject({
      "x-waymark": { build: { args: { NODE_IMAGE: "${NODE_IMAGE:-node:24.21.0-bookworm-slim}" } } },
    });
  });

  it.each(["node:24-slim", "postgres:18", "redis:7.4-alpine", "redis:latest", "redis", "node:24.1-slim"])(
    "would not be with %s",
    (name) => {
      expect(name).not.toMatch(EXACT);
    },
  );

  it("for Kubernetes have an exact version, and the name that is replaced by it", () => {
    const { images } = parse(read("deploy/kubernetes/base/kustomization.yaml")) as {
      images: { name: string; newTag: string }[];
    };
    expect(images).toMatchObject([{ name: "waymark", newTag: expect.stringMatching(/^\d+\.\d+\.\d+$/) }]);
  });
});

describe("the compose file", () => {
  interface Service {
    image: string;
    command?: string[];
    environment?: Record<string, string>;
    secrets?: string[];
    ports?: string[];
    networks: string[];
    mem_limit?: string;
    logging?: { options: Record<string, string> };
    deploy?: { replicas: number };
  }
  const text = read("deploy/compose.yaml");
  const { services, networks, secrets } = parse(text, { merge: true }) as {
    services: Record<string, Service>;
    networks: Record<string, { internal?: boolean }>;
    secrets: Record<string, { file: string }>;
  };

  it("gives each process its own secrets and no other's", () => {
    const given = Object.entries(services).map(([name, service]) => [name, service.secrets ?? []]);
    expect(Object.fromEntries(given)).toEqual({
      postgres: ["postgres_password"],
      redis: ["redis_password"],
      migrate: ["owner_database_url", "service_database_url"],
      admin: ["owner_database_url", "journey_keys"],
      "load-balancer": [],
      api: ["service_database_url", "redis_url", "journey_keys"],
      worker: ["service_database_url", "redis_url", "journey_keys"],
    });
    for (const service of Object.values(services)) {
      const paths = JSON.stringify(service).matchAll(/\/run\/secrets\/(\w+)/g);
      expect(new Set([...paths].map((match) => match[1]))).toEqual(new Set(service.secrets));
    }
  });

  it("has every secret in a file, and none in a variable", () => {
    const variables = Object.values(services).flatMap(({ environment = {} }) => Object.keys(environment));
    expect(variables).toContain("DATABASE_URL_FILE");
    const may = new Set<string>(SECRET_VARIABLES);
    expect(variables.filter((name) => may.has(name) || /(PASSWORD|SECRET|KEYS)$/.test(name))).toEqual([]);
    expect(text).not.toMatch(/\$\{\w*(PASSWORD|KEYS)/);
  });

  it("finds a file for each secret where make-secrets.sh makes them, for their processes and for nobody else", () => {
    const folder = path.join(mkdtempSync(path.join(tmpdir(), "waymark-secrets-")), "secrets");
    const make = () => execFileSync(path.join(root, "deploy/make-secrets.sh"), [folder]);
    make();
    const made = Object.fromEntries(
      readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name), "utf8")]),
    );
    const observability = parse(read("deploy/compose.observability.yaml")) as { secrets: typeof secrets };
    for (const [name, { file }] of Object.entries({ ...secrets, ...observability.secrets })) {
      expect(file).toBe(`\${WAYMARK_SECRETS:-./secrets}/${name}`);
      expect(made[name]).toMatch(/^\S{20,}\n$/);
    }
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(path.join(folder, "redis_url")).mode & 0o777).toBe(0o444);
    expect(made["service_database_url"]).toMatch(/^postgres:\/\/waymark_service:/);
    const config = {
      DATABASE_URL_FILE: "service_database_url",
      REDIS_URL_FILE: "redis_url",
      JOURNEY_KEYS_FILE: "journey_keys",
    };
    const environment = Object.entries(config).map(([name, file]) => [name, path.join(folder, file)]);
    expect(loadConfig(Object.fromEntries(environment) as Record<string, string>).keyRing).toBeDefined();
    // An existing key ring stays, because data are encrypted with it.
    make();
    expect(readFileSync(path.join(folder, "journey_keys"), "utf8")).toBe(made["journey_keys"]);
    rmSync(path.dirname(folder), { recursive: true });
  });

  it("limits each process's memory, rotates its log, and starts two of each service", () => {
    for (const { mem_limit: memory, logging } of Object.values(services)) {
      expect(memory).toMatch(/^(\d+[gm]|\$\{POSTGRES_MEMORY:-4g\})$/);
      expect(logging?.options).toEqual({
        "max-size": "${LOG_FILE_SIZE:-50m}",
        "max-file": "${LOG_FILES:-20}",
        compress: "true",
      });
    }
    for (const name of ["api", "worker"]) expect(services[name]?.deploy?.replicas).toBe(2);
  });

  it("has a Redis that requires its password and shows it on no command line", () => {
    const command = services["redis"]?.command?.join("\n") ?? "";
    expect(command).toContain("requirepass $$(cat /run/secrets/redis_password)");
    expect(command).not.toContain("--requirepass");
    expect(command).not.toContain("protected-mode no");
  });

  it("publishes only the load balancer, and gives access to the outside only to it, the api and journeys", () => {
    expect(Object.keys(services).filter((name) => services[name]?.ports !== undefined)).toEqual([
      "load-balancer",
    ]);
    // Journeys share no network to the outside with the api.
    expect(services["api"]?.networks).not.toContain("outside");
    expect(services["worker"]?.networks).not.toContain("front");
    for (const [name, { networks: joined }] of Object.entries(services)) {
      if (["load-balancer", "api", "worker"].includes(name)) continue;
      expect(joined.filter((network) => networks[network]?.internal !== true)).toEqual([]);
    }
    expect(services["redis"]?.networks).toEqual(["queue"]);
    expect(services["migrate"]?.networks).toEqual(["database"]);
  });
});

describe("the compose file of observability", () => {
  const { services } = parse(read("deploy/compose.observability.yaml"), { merge: true }) as {
    services: Record<string, Record<string, unknown>>;
  };
  const { api: _api, worker: _worker, ...own } = services;

  it("limits each process, rotates its log, and publishes only Grafana, whose password is a file", () => {
    expect(Object.keys(own)).toEqual(["prometheus", "grafana", "collector"]);
    for (const service of Object.values(own)) {
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ["ALL"],
        mem_limit: "512m",
        logging: { options: { "max-size": "20m", "max-file": "5" } },
      });
    }
    expect(Object.keys(own).filter((name) => own[name]?.["ports"] !== undefined)).toEqual(["grafana"]);
    expect(own["grafana"]).toMatchObject({
      environment: { GF_SECURITY_ADMIN_PASSWORD__FILE: "/run/secrets/grafana_password" },
      secrets: ["grafana_password"],
    });
  });

  it("mounts only files that exist", () => {
    const mounted = Object.values(own).flatMap(({ volumes = [] }) => volumes as string[]);
    const files = mounted
      .filter((volume) => volume.startsWith("./"))
      .map((volume) => volume.split(":")[0] ?? "");
    expect(files.length).toBeGreaterThan(4);
    expect(files.filter((file) => !existsSync(path.join(root, "deploy", file)))).toEqual([]);
  });
});

describe("the manifests for Kubernetes", () => {
  interface Pod {
    automountServiceAccountToken: boolean;
    securityContext: object;
    containers: {
      securityContext: object;
      envFrom?: { configMapRef?: { name: string }; secretRef?: { name: string } }[];
      env?: { name: string; valueFrom: { secretKeyRef: { name: string; key: string } } }[];
    }[];
  }
  interface Policy {
    podSelector: { matchExpressions?: { values: string[] }[]; matchLabels?: Record<string, string> };
    policyTypes: string[];
    ingress?: object[];
    egress?: { ports: { port: number }[]; to?: object[] }[];
  }
  interface Manifest {
    kind: string;
    metadata: { name: string };
    spec: Pod & Policy & { template?: { spec: Pod } };
  }
  const folder = "deploy/kubernetes";
  const files = (readdirSync(path.join(root, folder), { recursive: true }) as string[]).filter((file) =>
    file.endsWith(".yaml"),
  );
  const manifests = files.flatMap((file) =>
    parseAllDocuments(read(`${folder}/${file}`)).map((document) => document.toJS() as Manifest),
  );
  const pods = manifests.flatMap(({ kind, metadata, spec }) =>
    ["Deployment", "Job", "Pod"].includes(kind)
      ? [[metadata.name, spec.template?.spec ?? spec] as const]
      : [],
  );

  it("give each process its own secrets and no other's", () => {
    const secrets = pods.map(([name, pod]) => [
      name,
      pod.containers.flatMap(({ env = [], envFrom = [] }) => [
        ...env.map(
          (one) => `${one.name}=${one.valueFrom.secretKeyRef.name}/${one.valueFrom.secretKeyRef.key}`,
        ),
        ...envFrom.flatMap(({ secretRef }) => (secretRef === undefined ? [] : [secretRef.name])),
      ]),
    ]);
    const journeyKeys = "JOURNEY_KEYS=waymark-journeys/JOURNEY_KEYS";
    const replica = "DATABASE_REPLICA_URL=waymark-service/DATABASE_REPLICA_URL";
    const service = ["DATABASE_URL", "DATABASE_DIRECT_URL", "REDIS_URL"].map(
      (key) => `${key}=waymark-service/${key}`,
    );
    expect(Object.fromEntries(secrets)).toEqual({
      "waymark-api": [...service.toSpliced(2, 0, replica), journeyKeys],
      "waymark-worker": service,
      "waymark-journeys": [...service, journeyKeys],
      "waymark-migrate": [
        "DATABASE_URL=waymark-owner/DATABASE_URL",
        "SERVICE_DATABASE_URL=waymark-service/DATABASE_URL",
      ],
      "waymark-admin": ["DATABASE_URL=waymark-owner/DATABASE_URL", journeyKeys],
    });
  });

  it.each(pods)("give %s no privilege that it does not need", (_name, pod) => {
    expect(pod.automountServiceAccountToken).toBe(false);
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    });
    for (const container of pod.containers) {
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
    }
  });

  it("deny all traffic by default, and allow only DNS, Postgres, Redis, public issuers and public targets of journeys", () => {
    const policies = new Map(
      manifests
        .filter(({ kind }) => kind === "NetworkPolicy")
        .map(({ metadata, spec }) => [metadata.name, spec as Policy]),
    );
    expect(policies.get("waymark-default-deny")).toEqual({
      podSelector: {},
      policyTypes: ["Ingress", "Egress"],
    });
    const egress = [...policies].flatMap(([name, { egress: rules = [] }]) =>
      rules.map(({ ports, to = [] }) => {
        expect(to.length).toBeGreaterThan(0);
        const isOpen = JSON.stringify(to).includes('"0.0.0.0/0","except":["10.0.0.0/8"');
        expect(isOpen).toBe(name === "waymark-journeys" || name === "waymark-api");
        expect(JSON.stringify(to).includes("0.0.0.0/0")).toBe(isOpen);
        return [name, ports[0]?.port];
      }),
    );
    expect(egress).toEqual([
      ["waymark-database", 53],
      ["waymark-database", 5432],
      ["waymark-services", 6379],
      ["waymark-api", 443],
      ["waymark-journeys", 443],
    ]);
    expect(policies.get("waymark-services")?.podSelector.matchExpressions?.[0]?.values).toEqual([
      "api",
      "worker",
      "journeys",
    ]);
    // The api reads issuers over https, and nothing else.
    expect(policies.get("waymark-api")?.egress?.map(({ ports }) => ports)).toEqual([[{ port: 443 }]]);
    // Workers that store scans reach no target.
    expect(policies.get("waymark-journeys")?.podSelector.matchLabels).toEqual({
      "app.kubernetes.io/name": "waymark",
      "app.kubernetes.io/component": "journeys",
    });
  });
});

describe("npm", () => {
  it("runs no script of a package that it installs", () => {
    expect(read(".npmrc").split("\n")).toContain("ignore-scripts=true");
  });
});
