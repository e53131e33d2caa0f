import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findKubernetesProgram } from "./programs.ts";
import { type KubernetesObject, parseObjects } from "./objects.ts";

const run = promisify(execFile);

/**
 * Returns the objects that `helm install` would send, hooks included.
 *
 * @param values as `--set` takes them, such as `keda.enabled=true`
 * @throws Error with Helm's words if it refuses the chart, or that says what to do if there is no Helm
 */
export async function renderChart(
  folder: string,
  values: readonly string[] = [],
): Promise<KubernetesObject[]> {
  return parseObjects(await template(folder, values, ["--namespace", "waymark"]));
}

/**
 * Renders one template as a file for kustomize, with its comments: without what only Helm reads, and with the name of the image that
 * kustomize replaces.
 *
 * @param values as `--set` takes them
 */
export async function renderManifest(
  folder: string,
  file: string,
  values: readonly string[],
): Promise<string> {
  return (await template(folder, values, ["--show-only", `templates/${file}`]))
    .replaceAll(/^# Source: .*\n/gm, "")
    .replaceAll(/^ +(?:helm\.sh\/|checksum\/settings:).*\n/gm, "")
    .replaceAll(/^( *)annotations:\n(?!\1 )/gm, "")
    .replaceAll(/^ +\n/gm, "")
    .replaceAll(/image: ".*"/g, "image: waymark");
}

async function template(
  folder: string,
  values: readonly string[],
  options: readonly string[],
): Promise<string> {
  const set = values.flatMap((value) => ["--set", value]);
  const helm = await findKubernetesProgram("helm");
  return (await run(helm, ["template", "waymark", folder, ...options, ...set])).stdout;
}

/** @throws Error with what is wrong, warnings included */
export async function lintChart(folder: string): Promise<void> {
  await run(await findKubernetesProgram("helm"), ["lint", "--strict", folder]);
}
