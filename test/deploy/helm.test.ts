import { readFileSync } from "node:fs";
import path from "node:path";
import { lintChart, renderChart } from "@waymark/test-support/kubernetes/helm-chart.ts";
import {
  kubernetesFaults,
  type KubernetesObject,
  renderKustomization,
} from "@waymark/test-support/kubernetes/objects.ts";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
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

  it.each([
    ["image.tga=1.2.3", /'\/image': additional properties 'tga' not allowed/],
    ["podsecurityContext.runAsUser=1", /additional properties 'podsecurityContext' not allowed/],
    ["extraEnv[0].nam=A", /'\/extraEnv\/0': missing property 'name'/],
    ["logLevel=loud", /'\/logLevel': value must be one of 'fatal'/],
    ["publicBaseUrl=waymark.example.com", /'\/publicBaseUrl'/],
    ["autoscaling.api.min=many", /'\/autoscaling\/api\/min'/],
    ["image=none", /'\/image'/],
    ["httpRoute.enabled=true", /'\/httpRoute\/parentRefs'/],
  ])("is refused with %s, and the error names the place", async (value, message) => {
    await expect(renderChart(CHART, [value])).rejects.toThrow(message);
  });

  it("has a schema with the values of values.yaml, and no others", () => {
    const schema = JSON.parse(readFileSync(path.join(CHART, "values.schema.json"), "utf8")) as Schema;
    const values = parse(readFileSync(path.join(CHART, "values.yaml"), "utf8")) as object;
    expect(namesOfSchema(schema)).toEqual([...namesOfValues(values, schema), "enabled", "global"].toSorted());
  });

  it("can be a part of another chart, which has values of its own for all of its parts", async () => {
    const text = JSON.stringify(await renderChart(CHART, ["global.region=eu", "enabled=true"]));
    expect(text).not.toContain("region");
  });

  it("leaves the choice of the user to OpenShift", async () => {
    const unset = ["podSecurityContext.runAsUser=null", "podSecurityContext.runAsGroup=null"];
    const objects = await renderChart(CHART, unset);
    expect((await Promise.all(objects.map(kubernetesFaults))).flat()).toEqual([]);
    const text = JSON.stringify(objects);
    expect(text).not.toMatch(/runAs(User|Group)/);
    expect(text.match(/"securityContext":{"runAsNonRoot":true,"seccompProfile":/g)).toHaveLength(4);
  });

  it("opens its network policies to the cluster's own DNS and Prometheus", async () => {
    const objects = await renderChart(CHART, [
      "networkPolicies.monitoringNamespace=openshift-monitoring",
      "networkPolicies.dnsTargets[0].ports[0].port=5353",
      "networkPolicies.dnsTargets[0].ports[0].protocol=UDP",
    ]);
    expect((await Promise.all(objects.map(kubernetesFaults))).flat()).toEqual([]);
    const text = JSON.stringify(objects);
    expect(text).toContain('{"ports":[{"port":5353,"protocol":"UDP"}]}');
    expect(text).toContain('"kubernetes.io/metadata.name":"openshift-monitoring"');
  });

  it("makes a route of the Gateway API for the public address", async () => {
    const objects = await renderChart(CHART, [
      "httpRoute.enabled=true",
      "httpRoute.parentRefs[0].name=public",
      "httpRoute.parentRefs[0].sectionName=https",
      "publicBaseUrl=https://contracts.example.org:8443",
    ]);
    const route = objects.find(({ kind }) => kind === "HTTPRoute") as KubernetesObject;
    expect(await kubernetesFaults(route)).toEqual([]);
    expect(route.spec).toEqual({
      parentRefs: [{ name: "public", sectionName: "https" }],
      hostnames: ["contracts.example.org"],
      rules: [
        {
          matches: [{ path: { type: "PathPrefix", value: "/" } }],
          backendRefs: [{ name: "waymark-api", port: 80 }],
        },
      ],
    });
  });
});

describe("the chart below a path", () => {
  it.each([
    ["https://tools.example.com", "/"],
    ["https://tools.example.com/", "/"],
    ["https://tools.example.com/waymark", "/waymark"],
    ["https://tools.example.com/apps/waymark/", "/apps/waymark"],
  ])("leads the path of %s to the api, and nothing rewrites it", async (address, expected) => {
    const objects = await renderChart(CHART, [
      "ingress.enabled=true",
      "httpRoute.enabled=true",
      "httpRoute.parentRefs[0].name=public",
      `publicBaseUrl=${address}`,
    ]);
    const ofKind = (wanted: string) => objects.find(({ kind }) => kind === wanted) as KubernetesObject;
    for (const kind of ["Ingress", "HTTPRoute"]) expect(await kubernetesFaults(ofKind(kind))).toEqual([]);
    expect(JSON.stringify(ofKind("Ingress"))).toContain(`{"path":"${expected}","pathType":"Prefix"`);
    expect(JSON.stringify(ofKind("HTTPRoute").spec)).toContain(
      `"matches":[{"path":{"type":"PathPrefix","value":"${expected}"}}]`,
    );
    expect(JSON.stringify(objects)).not.toMatch(/rewrite|URLRewrite/);
  });
});

interface Schema {
  properties?: Record<string, Schema>;
}

/** Returns the names of all values that a schema lists, such as `image.tag`. */
function namesOfSchema({ properties = {} }: Schema, prefix = ""): string[] {
  return Object.entries(properties)
    .flatMap(([name, schema]) => [`${prefix}${name}`, ...namesOfSchema(schema, `${prefix}${name}.`)])
    .toSorted();
}

/** Returns the names of values, as deep as the schema lists them: what is Kubernetes' own has no list. */
function namesOfValues(values: object, { properties = {} }: Schema, prefix = ""): string[] {
  return Object.entries(values).flatMap(([name, value]: [string, unknown]) => {
    const inside = properties[name]?.properties;
    const isListed = typeof value === "object" && value !== null && inside !== undefined;
    const schema = { ...(inside && { properties: inside }) };
    return [`${prefix}${name}`, ...(isListed ? namesOfValues(value, schema, `${prefix}${name}.`) : [])];
  });
}
