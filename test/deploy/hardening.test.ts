import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { root } from "../../scripts/bootstrap/checkout.mjs";

const read = (file: string): string => readFileSync(path.join(root, file), "utf8");

/** A version to the last number, with or without the variant of the system below it; or the image's digest. */
const EXACT = /@sha256:[0-9a-f]{64}$|:(\d+\.\d+\.\d+|1[0-9]\.\d+)(-[a-z0-9.-]+)?$/;

describe("the images", () => {
  const files = [
    "deploy/Dockerfile",
    "deploy/compose.yaml",
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
  const foreign = named.filter(([, name]) => name !== "waymark" && name !== "${NODE_IMAGE}");

  it("are found", () => {
    expect(foreign.map(([, name]) => name.split(":")[0])).toEqual([
      "node",
      "node",
      "postgres",
      "redis",
      "node",
      "registry.example.com/waymark",
    ]);
  });

  it.each(foreign)("of %s are exact: %s", (_file, name) => {
    expect(name).toMatch(EXACT);
  });

  it.each(["node:24-slim", "postgres:18", "redis:7.4-alpine", "redis:latest", "redis", "node:24.1-slim"])(
    "would not be with %s",
    (name) => {
      expect(name).not.toMatch(EXACT);
    },
  );

  it("for Kubernetes have an exact version, and the name that is replaced by it", () => {
    const { images } = parse(read("deploy/kubernetes/kustomization.yaml")) as {
      images: { name: string; newTag: string }[];
    };
    expect(images).toMatchObject([{ name: "waymark", newTag: expect.stringMatching(/^\d+\.\d+\.\d+$/) }]);
  });
});

describe("the compose file", () => {
  interface Service {
    image: string;
    command?: string[];
    environment: Record<string, string>;
    ports?: string[];
    networks: string[];
  }
  const text = read("deploy/compose.yaml");
  const { services, networks } = parse(text, { merge: true }) as {
    services: Record<string, Service>;
    networks: Record<string, { internal?: boolean }>;
  };
  const SECRETS = /\b(POSTGRES_PASSWORD|SERVICE_DATABASE_PASSWORD|REDIS_PASSWORD)\b/g;
  const secretsOf = (name: string) => {
    const used = JSON.stringify(services[name]?.environment).matchAll(SECRETS);
    return [...new Set([...used].map((match) => match[1] ?? ""))].toSorted();
  };

  it("gives each process its own secrets and no other's", () => {
    expect(Object.fromEntries(Object.keys(services).map((name) => [name, secretsOf(name)]))).toEqual({
      postgres: ["POSTGRES_PASSWORD"],
      redis: ["REDIS_PASSWORD"],
      migrate: ["POSTGRES_PASSWORD", "SERVICE_DATABASE_PASSWORD"],
      admin: ["POSTGRES_PASSWORD"],
      api: ["REDIS_PASSWORD", "SERVICE_DATABASE_PASSWORD"],
      worker: ["REDIS_PASSWORD", "SERVICE_DATABASE_PASSWORD"],
    });
    expect(services["api"]?.environment["DATABASE_URL"]).toBe(
      services["migrate"]?.environment["SERVICE_DATABASE_URL"],
    );
    expect(services["worker"]?.environment["DATABASE_URL"]).toContain("//waymark_service:");
  });

  it("has no secret of its own: without one it says what to set", () => {
    const used = [...text.matchAll(/\$\{(\w*(?:PASSWORD|SECRET))([^}]*)\}/g)];
    expect(used.length).toBeGreaterThan(5);
    for (const [, , rest] of used) expect(rest).toMatch(/^:\?set \w/);
  });

  it("has a Redis that asks for its password and shows it on no command line", () => {
    const command = services["redis"]?.command?.join("\n") ?? "";
    expect(command).toContain("requirepass $$REDIS_PASSWORD");
    expect(command).not.toContain("--requirepass");
    expect(command).not.toContain("protected-mode no");
  });

  it("publishes the api alone, and lets nothing else reach the world", () => {
    expect(Object.keys(services).filter((name) => services[name]?.ports !== undefined)).toEqual(["api"]);
    for (const [name, { networks: joined }] of Object.entries(services)) {
      if (name === "api") continue;
      expect(joined.filter((network) => networks[network]?.internal !== true)).toEqual([]);
    }
    expect(services["redis"]?.networks).toEqual(["queue"]);
    expect(services["migrate"]?.networks).toEqual(["database"]);
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
    podSelector: { matchExpressions?: { values: string[] }[] };
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
    const service = ["DATABASE_URL", "DATABASE_DIRECT_URL", "REDIS_URL"].map(
      (key) => `${key}=waymark-service/${key}`,
    );
    expect(Object.fromEntries(secrets)).toEqual({
      "waymark-api": service,
      "waymark-worker": service,
      "waymark-migrate": [
        "DATABASE_URL=waymark-owner/DATABASE_URL",
        "SERVICE_DATABASE_URL=waymark-service/DATABASE_URL",
      ],
      "waymark-admin": ["DATABASE_URL=waymark-owner/DATABASE_URL"],
    });
  });

  it.each(pods)("leave %s no right that it does not need", (_name, pod) => {
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

  it("let nothing in or out by default, and out to names, Postgres and Redis alone", () => {
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
        expect(JSON.stringify(to)).not.toContain("0.0.0.0/0");
        return [name, ports[0]?.port];
      }),
    );
    expect(egress).toEqual([
      ["waymark-database", 53],
      ["waymark-database", 5432],
      ["waymark-services", 6379],
    ]);
    expect(policies.get("waymark-services")?.podSelector.matchExpressions?.[0]?.values).toEqual([
      "api",
      "worker",
    ]);
  });
});

describe("npm", () => {
  it("runs no script of a package that it installs", () => {
    expect(read(".npmrc").split("\n")).toContain("ignore-scripts=true");
  });
});
