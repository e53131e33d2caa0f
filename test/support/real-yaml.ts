import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { root } from "../../scripts/bootstrap/checkout.mjs";

const modules = path.join(root, "node_modules");
const BYTES_MAX = 10_000;

/** Real YAML files: descriptions, pipelines, deployments; at most 10 kB each. */
export const REAL_YAML: readonly string[] = [
  ...below(path.join(modules, "@readme/oas-examples"), "2.0/yaml", "3.0/yaml", "3.1/yaml"),
  ...below(modules, "fastify-plugin/.github", "light-my-request/.github", "avvio/.github"),
  ...below(modules, "thread-stream/.github/workflows", "pino-abstract-transport/.github/workflows"),
  ...below(modules, "secure-json-parse/.github/workflows", "find-my-way/.github/workflows"),
  ...below(modules, "@fastify/swagger/examples"),
  ...below(
    root,
    ".github/workflows",
    ".github/ISSUE_TEMPLATE",
    "deploy",
    "deploy/kubernetes/base",
    "deploy/gitlab",
  ),
  ...below(root, "examples", "examples/journeys", "bench/journeys", "test/journeys/documents"),
];

function below(folder: string, ...names: string[]): string[] {
  return names.flatMap((name) => {
    const inside = path.join(folder, name);
    return readdirSync(inside)
      .filter((file) => /[.]ya?ml$/.test(file))
      .map((file) => path.join(inside, file))
      .filter((file) => statSync(file).size <= BYTES_MAX);
  });
}
