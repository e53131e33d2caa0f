import { readFileSync } from "node:fs";
import path from "node:path";
import { renderManifest } from "@waymark/test-support/kubernetes/helm-chart.ts";
import {
  kubernetesFaults,
  type KubernetesObject,
  renderKustomization,
} from "@waymark/test-support/kubernetes/objects.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { root } from "../../scripts/bootstrap/checkout.mjs";

const read = (file: string): string => readFileSync(path.join(root, file), "utf8");
const FOLDERS = ["deploy/kubernetes/base", "deploy/kubernetes/overlays/production"] as const;
const CHART = "deploy/helm/waymark";
const ALERTS = `${CHART}/alerts.yml`;
/** The files that are written from the chart: each from which template, with which values. */
const MANIFESTS: [file: string, template: string, values?: string][] = [
  ["base/api.yaml", "api.yaml"],
  ["base/journeys.yaml", "journeys.yaml"],
  ["base/migrate.yaml", "migrate.yaml"],
  ["base/network-policy.yaml", "network-policy.yaml"],
  ["base/worker.yaml", "worker.yaml"],
  ["base/worker-scaling.yaml", "worker-scaling.yaml"],
  ["components/ingress/ingress.yaml", "ingress.yaml", "ingress.enabled=true"],
  ["components/keda/scaled-object.yaml", "worker-scaling.yaml", "keda.enabled=true"],
  ["components/prometheus/pod-monitor.yaml", "pod-monitor.yaml", "prometheusOperator.enabled=true"],
  ["components/prometheus/prometheus-rule.yaml", "prometheus-rule.yaml", "prometheusOperator.enabled=true"],
];

const rendered = new Map<string, KubernetesObject[]>();
beforeAll(async () => {
  for (const folder of FOLDERS) rendered.set(folder, await renderKustomization(folder));
});
const find = (folder: (typeof FOLDERS)[number], kind: string, name: string) =>
  rendered.get(folder)?.find((object) => object.kind === kind && object.metadata.name === name);

describe.each(FOLDERS)("%s", (folder) => {
  it("has only objects that their schemas accept, without unknown fields", async () => {
    const objects = rendered.get(folder) ?? [];
    expect(objects.length).toBeGreaterThan(15);
    expect((await Promise.all(objects.map(kubernetesFaults))).flat()).toEqual([]);
  });

  it("is all in one namespace, in which pods must be restricted", () => {
    for (const { kind, metadata } of rendered.get(folder) ?? []) {
      expect(kind === "Namespace" ? metadata.name : metadata.namespace).toBe("waymark");
    }
  });

  it("spreads api, workers and journeys over zones and nodes", () => {
    for (const name of ["api", "worker", "journeys"]) {
      const template = find(folder, "Deployment", `waymark-${name}`)?.spec?.["template"];
      expect(template).toMatchObject({
        spec: {
          topologySpreadConstraints: ["topology.kubernetes.io/zone", "kubernetes.io/hostname"].map(
            (topologyKey) => ({ topologyKey, whenUnsatisfiable: "ScheduleAnyway" }),
          ),
        },
      });
    }
  });
});

describe("deploy/kubernetes/cloudnative-pg", () => {
  it("has only objects that the operator's schemas accept, without unknown fields", async () => {
    const objects = await renderKustomization("deploy/kubernetes/cloudnative-pg");
    expect(objects.map(({ kind }) => kind)).toEqual(["Namespace", "Cluster", "Pooler"]);
    expect((await Promise.all(objects.map(kubernetesFaults))).flat()).toEqual([]);
  });

  it("has a pooler with the settings that the page on poolers names", async () => {
    const objects = await renderKustomization("deploy/kubernetes/cloudnative-pg");
    const pooler = objects.find(({ kind }) => kind === "Pooler")?.spec?.["pgbouncer"];
    const { poolMode, parameters } = pooler as { poolMode: string; parameters: Record<string, string> };
    const named = /```ini\n([^`]+)```/.exec(read("docs/operations/poolers.md"))?.[1] ?? "";
    const settings = Object.fromEntries(
      [...named.matchAll(/^(\w+) = (.+)$/gm)].map(([, name, value]) => [name, value]),
    );
    expect({ pool_mode: poolMode, ...parameters }).toMatchObject(settings);
    expect(Object.keys(settings)).toHaveLength(3);
  });
});

it.each(MANIFESTS)("deploy/kubernetes/%s is written from the chart", async (file, template, values) => {
  const written = `# Written from ${CHART}/templates/${template}. After a change there: npm run test:system -- test/deploy/kubernetes.test.ts -u\n`;
  const text = await renderManifest(path.join(root, CHART), template, values === undefined ? [] : [values]);
  await expect(written + text).toMatchFileSnapshot(path.join(root, "deploy/kubernetes", file));
});

describe("the schemas", () => {
  it("refuse a field that does not exist, a wrong type, and a missing field, so that these tests can fail", async () => {
    const deployment = find(FOLDERS[0], "Deployment", "waymark-api");
    const broken = structuredClone(deployment) as KubernetesObject & {
      spec: {
        template: { spec: { containers: Record<string, unknown>[] } };
        replicas: unknown;
        selector: unknown;
      };
    };
    broken.spec.replicas = "two";
    Reflect.deleteProperty(broken.spec, "selector");
    Object.assign(broken.spec.template.spec.containers[0] ?? {}, { livenessProb: {} });
    expect(await kubernetesFaults(broken)).toEqual([
      expect.stringContaining('required {"missingProperty":"selector"}'),
      expect.stringContaining("/spec/replicas type"),
      expect.stringContaining("/spec/template/spec/containers/0/livenessProb is unknown"),
    ]);
  });

  it("accept the pod of the operator's commands", async () => {
    const [pod] = parseAllDocuments(read("deploy/kubernetes/admin/pod.yaml")).map(
      (document) => document.toJS() as KubernetesObject,
    );
    expect(await kubernetesFaults(pod as KubernetesObject)).toEqual([]);
  });
});

describe("the overlay for production", () => {
  const folder = FOLDERS[1];

  it("scales workers by the time that scans wait, within a limit, and in place of the base's autoscaler", () => {
    expect(find(FOLDERS[0], "HorizontalPodAutoscaler", "waymark-worker")).toBeDefined();
    expect(find(folder, "HorizontalPodAutoscaler", "waymark-worker")).toBeUndefined();
    const scaled = find(folder, "ScaledObject", "waymark-worker");
    expect(scaled?.spec).toMatchObject({ minReplicaCount: 2, maxReplicaCount: 10 });
    const triggers = scaled?.spec?.["triggers"] as { metadata: { query: string } }[];
    const alert = /max\(waymark_oldest_unfinished_scan_run_age_seconds\)/.exec(read(ALERTS));
    expect(triggers.map(({ metadata }) => metadata.query)).toEqual([alert?.[0]]);
  });

  it("has the chart's alerts", () => {
    const { groups } = parse(read(ALERTS)) as { groups: object[] };
    expect(find(folder, "PrometheusRule", "waymark")?.spec).toEqual({ groups });
  });

  it("routes its host to the port of the api's service", () => {
    const [rule] = (find(folder, "Ingress", "waymark")?.spec?.["rules"] ?? []) as {
      host: string;
      http: { paths: { backend: { service: object } }[] };
    }[];
    expect(rule?.http.paths[0]?.backend.service).toEqual({ name: "waymark-api", port: { name: "http" } });
    expect(find(folder, "Service", "waymark-api")?.spec?.["ports"]).toMatchObject([{ name: "http" }]);
    expect(read("deploy/kubernetes/base/kustomization.yaml")).toContain(
      `PUBLIC_BASE_URL=https://${rule?.host}\n`,
    );
  });
});
