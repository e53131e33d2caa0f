import { readFileSync } from "node:fs";
import path from "node:path";
import { lintChart, renderChart } from "@waymark/test-support/helm-chart.ts";
import {
  kubernetesFaults,
  type KubernetesObject,
  renderKustomization,
} from "@waymark/test-support/kubernetes.ts";
import { describe, expect, it } from "vitest";
import { root } from "../../scripts/bootstrap/checkout.mjs";

const CHART = path.join(root, "deploy/helm/waymark");
const EVERYTHING = ["keda.enabled=true", "prometheusOperator.enabled=true", "ingress.enabled=true"];
/** What only one of them has: kustomize adds hashes and the namespace, the chart hooks and checksums. */
const ADDED = /^(namespace|creationTimestamp|helm\.sh\/.+|checksum\/settings)$/;

/** By kind and name, without what differs by the tool. */
function comparable(objects: readonly KubernetesObject[]): Record<string, unknown> {
  const named = objects.flatMap((object) => {
    if (object.kind === "Namespace") return [];
    const text = JSON.stringify(object, (name, value: unknown) => (ADDED.test(name) ? undefined : value))
      .replace(/"(waymark(?:-\w+)?)-[a-z0-9]{10}"/g, '"$1"')
      .replace('"waymark-migrate-0.0.0"', '"waymark-migrate"')
      .replace(',"annotations":{}', "");
    const plain = JSON.parse(text) as KubernetesObject;
    return [[`${plain.kind} ${plain.metadata.name}`, plain] as const];
  });
  return Object.fromEntries(named.toSorted(([a], [b]) => a.localeCompare(b)));
}

describe("the Helm chart", () => {
  it.each([
    ["by default", "deploy/kubernetes/base", []],
    ["with everything enabled", "deploy/kubernetes/overlays/production", EVERYTHING],
  ])("makes the objects of kustomize %s, which their schemas accept", async (_when, folder, values) => {
    const objects = await renderChart(CHART, values);
    expect(comparable(objects)).toEqual(comparable(await renderKustomization(folder)));
    expect((await Promise.all(objects.map(kubernetesFaults))).flat()).toEqual([]);
  });

  it("is accepted by Helm's own check", async () => {
    await expect(lintChart(CHART)).resolves.toBeUndefined();
  });

  it("follows its values", async () => {
    const text = JSON.stringify(await renderChart(CHART, ["image.tag=1.2.3", "secrets.service=mine"]));
    expect(text).toContain('"image":"registry.example.com/waymark:1.2.3"');
    expect(text).toContain('"secretKeyRef":{"name":"mine","key":"DATABASE_URL"}');
  });

  it("restarts pods whose settings change", async () => {
    const checksum = async (logLevel: string) => {
      const text = JSON.stringify(await renderChart(CHART, [`logLevel=${logLevel}`]));
      return /"checksum\/settings":"(\w{64})"/.exec(text)?.[1];
    };
    const [debug, info] = [await checksum("debug"), await checksum("info")];
    expect(debug).toMatch(/\w/);
    expect(debug).not.toBe(info);
  });

  it("runs the migration before each upgrade, and again for the next one", async () => {
    const job = (await renderChart(CHART)).find(({ kind }) => kind === "Job");
    expect(job?.metadata).toMatchObject({
      annotations: {
        "helm.sh/hook": "pre-install,pre-upgrade",
        "helm.sh/hook-delete-policy": "before-hook-creation,hook-succeeded",
      },
    });
  });

  it("has the rules of deploy/alerts.yml", () => {
    const read = (file: string) => readFileSync(path.join(root, file), "utf8");
    expect(read("deploy/helm/waymark/alerts.yml")).toBe(read("deploy/alerts.yml"));
  });

  it("is refused with a value of another form, so that these tests can fail", async () => {
    await expect(renderChart(CHART, ["image=none"])).rejects.toThrow(/repository/);
  });
});
