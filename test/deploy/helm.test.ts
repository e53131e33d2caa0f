import path from "node:path";
import { lintChart, renderChart } from "@waymark/test-support/kubernetes/helm-chart.ts";
import {
  kubernetesFaults,
  type KubernetesObject,
  renderKustomization,
} from "@waymark/test-support/kubernetes/objects.ts";
import { describe, expect, it } from "vitest";
import { root } from "../../scripts/bootstrap/checkout.mjs";

const CHART = path.join(root, "deploy/helm/waymark");
const EVERYTHING = ["keda.enabled=true", "prometheusOperator.enabled=true", "ingress.enabled=true"];
/** Fields that only one of them has: kustomize adds hashes and the namespace, the chart adds hooks and checksums. */
const ADDED = /^(namespace|creationTimestamp|helm\.sh\/.+|checksum\/settings)$/;

/** Returns the objects by kind and name, without what differs by the tool. */
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

  it("gives every pod what a cluster asks of pods", async () => {
    const objects = await renderChart(CHART, [
      "imagePullSecrets[0].name=regcred",
      "extraEnv[0].name=JOURNEY_EGRESS_ALLOW",
      "extraEnv[0].value=10.0.0.0/8:443",
      "extraEnvFrom[0].secretRef.name=more",
      "extraVolumes[0].name=ca",
      "extraVolumes[0].configMap.name=company-ca",
      "extraVolumeMounts[0].name=ca",
      "extraVolumeMounts[0].mountPath=/ca",
      "tolerations[0].key=dedicated",
      "tolerations[0].operator=Exists",
      "nodeSelector.pool=tools",
      "priorityClassName=tools",
      "podAnnotations.team=platform",
      "serviceAccount.name=waymark",
      "serviceAccount.create=true",
      "serviceAccount.annotations.role=reader",
      "resources.worker.limits.memory=3Gi",
      "networkPolicies.journeyTargets[0].ports[0].port=8443",
    ]);
    expect((await Promise.all(objects.map(kubernetesFaults))).flat()).toEqual([]);
    const pods = objects.filter(({ kind }) => kind === "Deployment" || kind === "Job");
    expect(pods).toHaveLength(4);
    for (const pod of pods) {
      const text = JSON.stringify(pod);
      for (const part of [
        '"imagePullSecrets":[{"name":"regcred"}]',
        '{"name":"JOURNEY_EGRESS_ALLOW","value":"10.0.0.0/8:443"}',
        '"configMap":{"name":"company-ca"}',
        '"volumeMounts":[{"mountPath":"/ca","name":"ca"}]',
        '"tolerations":[{"key":"dedicated","operator":"Exists"}]',
        '"nodeSelector":{"pool":"tools"}',
        '"priorityClassName":"tools"',
        '"team":"platform"',
        '{"secretRef":{"name":"more"}}',
      ]) {
        expect(text).toContain(part);
      }
      // A hook runs before the release's own objects exist.
      expect(text.includes('"serviceAccountName":"waymark"')).toBe(pod.kind === "Deployment");
    }
    const text = JSON.stringify(objects);
    expect(text).toContain('"limits":{"memory":"3Gi"}');
    expect(text).toContain('"role":"reader"');
    expect(text).toContain('[{"port":8443}]');
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

  it("is refused with a value of another form, so that these tests can fail", async () => {
    await expect(renderChart(CHART, ["image=none"])).rejects.toThrow(/repository/);
  });
});
