import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { parseAllDocuments } from "yaml";
import { root } from "../../../scripts/bootstrap/checkout.mjs";
import { findKubernetesProgram, installTools, TOOLS } from "./programs.ts";

const CORE = "kubernetes-models/_schemas/IoK8sApi";
const OPERATOR =
  "@kubernetes-models/prometheus-operator/_schemas/ComGithubPrometheusOperatorPrometheusOperatorPkgApisMonitoringV1";
const CLOUDNATIVE_PG = "@kubernetes-models/cloudnative-pg/_schemas/ComGithubCloudnativePgCloudnativePgApiV1";
/** The modules of the packages by `apiVersion` and `kind`. */
const SCHEMAS: Readonly<Record<string, string>> = {
  "apps/v1 Deployment": `${CORE}AppsV1Deployment`,
  "autoscaling/v2 HorizontalPodAutoscaler": `${CORE}AutoscalingV2HorizontalPodAutoscaler`,
  "batch/v1 Job": `${CORE}BatchV1Job`,
  "gateway.networking.k8s.io/v1 HTTPRoute":
    "@kubernetes-models/gateway-api/_schemas/IoK8sSigsGatewayApiApisV1HTTPRoute",
  "keda.sh/v1alpha1 ScaledObject":
    "@kubernetes-models/keda/_schemas/ComGithubKedacoreKedaV2ApisKedaV1alpha1ScaledObject",
  "monitoring.coreos.com/v1 PodMonitor": `${OPERATOR}PodMonitor`,
  "monitoring.coreos.com/v1 PrometheusRule": `${OPERATOR}PrometheusRule`,
  "networking.k8s.io/v1 Ingress": `${CORE}NetworkingV1Ingress`,
  "networking.k8s.io/v1 NetworkPolicy": `${CORE}NetworkingV1NetworkPolicy`,
  "postgresql.cnpg.io/v1 Cluster": `${CLOUDNATIVE_PG}Cluster`,
  "postgresql.cnpg.io/v1 Pooler": `${CLOUDNATIVE_PG}Pooler`,
  "policy/v1 PodDisruptionBudget": `${CORE}PolicyV1PodDisruptionBudget`,
  "v1 ConfigMap": `${CORE}CoreV1ConfigMap`,
  "v1 Namespace": `${CORE}CoreV1Namespace`,
  "v1 Pod": `${CORE}CoreV1Pod`,
  "v1 Service": `${CORE}CoreV1Service`,
  "v1 ServiceAccount": `${CORE}CoreV1ServiceAccount`,
};

export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string };
  spec?: Record<string, unknown>;
}

/**
 * Returns the objects that `kubectl apply -k` would send.
 *
 * @throws Error that says what to do if there is no kubectl
 */
export async function renderKustomization(folder: string): Promise<KubernetesObject[]> {
  const kubectl = await findKubernetesProgram("kubectl");
  const { stdout } = await promisify(execFile)(kubectl, ["kustomize", folder], { cwd: root });
  return parseObjects(stdout);
}

export function parseObjects(text: string): KubernetesObject[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as KubernetesObject | null)
    .filter((object) => object !== null);
}

interface Validator {
  validate: ((data: unknown) => boolean) & {
    errors: { instancePath: string; keyword: string; params: object }[] | null;
  };
}

/** Returns what Kubernetes would refuse in an object, unknown fields included. */
export async function kubernetesFaults(object: KubernetesObject): Promise<string[]> {
  const name = `${object.kind} ${object.metadata.name}`;
  const module = SCHEMAS[`${object.apiVersion} ${object.kind}`];
  if (module === undefined)
    return [`${name}: ${object.apiVersion} has no schema in test/support/kubernetes/objects.ts`];
  await installTools();
  const { validate } = (await import(path.join(TOOLS, "node_modules", `${module}.js`))) as Validator;
  const unread: (() => string[])[] = [];
  const isValid = validate(watch(object, "", unread));
  const refused = isValid ? [] : (validate.errors ?? []);
  return [
    ...refused.map(
      ({ instancePath, keyword, params }) => `${instancePath} ${keyword} ${JSON.stringify(params)}`,
    ),
    ...unread.flatMap((fieldsOf) => fieldsOf()).map((field) => `${field} is unknown`),
  ].map((fault) => `${name}: ${fault}`);
}

/**
 * The validators accept unknown fields, and read every field that they know: what was not read of an object is unknown. An object
 * whose names were listed is a map, and one of which nothing was read has no schema.
 */
function watch(value: unknown, at: string, unread: (() => string[])[]): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item, index) => watch(item, `${at}/${index}`, unread));
  const watched = Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, watch(item, `${at}/${name}`, unread)]),
  );
  const read = new Set<string | symbol>();
  let isMap = false;
  unread.push(() =>
    isMap || read.size === 0
      ? []
      : Object.keys(watched).flatMap((name) => (read.has(name) ? [] : `${at}/${name}`)),
  );
  return new Proxy(watched, {
    get(target, name, receiver) {
      read.add(name);
      return Reflect.get(target, name, receiver) as unknown;
    },
    ownKeys(target) {
      isMap = true;
      return Reflect.ownKeys(target);
    },
  });
}
