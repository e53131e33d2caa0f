import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../../../scripts/bootstrap/checkout.mjs";
import { docker, run, succeeds } from "./run.ts";

const BASES = "test/deploy/fleet/bases";
const IMAGE = "waymark-deploy-test";
const DEBIAN = `${IMAGE}-debian`;
/** Debian with a package manager that can reach its mirror, where a registry is reachable. */
const PUBLISHED_DEBIAN = "debian:trixie-slim";

export interface Images {
  /** The variables of deploy/compose.yaml and of the checks' own compose file. */
  env: Record<string, string>;
  /** One line for the report. */
  bases: string;
  /** The base of the image under test. */
  node: string;
  /** The image under test. */
  waymark: string;
}

/** @param node its base */
export async function buildWaymark(tag: string, node: string): Promise<void> {
  const options = ["--network", "host", "--tag", tag, "--build-arg", `NODE_IMAGE=${node}`];
  // As compose gives it, so that compose finds every layer in the cache.
  options.push("--build-arg", "WITH_TRACING=false");
  await docker("build", "--file", "deploy/Dockerfile", ...options, ".");
}

/** The base images: the published ones, or ones made of Debian's packages. Then Waymark's own on top of them. */
export async function makeImages(): Promise<Images> {
  const published = publishedBases();
  const isPublished = await succeeds("docker", ["pull", "--quiet", published.NODE_IMAGE ?? ""]);
  if (!isPublished) await makeDebian();
  const env = isPublished ? published : await debianBases();
  const pooler = await build("pooler", isPublished ? PUBLISHED_DEBIAN : DEBIAN);
  const node = env["NODE_IMAGE"] ?? "";
  const waymark = IMAGE;
  await buildWaymark(waymark, node);
  return {
    env: { ...env, POOLER_IMAGE: pooler, WAYMARK_IMAGE: waymark },
    node,
    bases: isPublished
      ? `published: ${Object.values(published).join(", ")}`
      : `no registry was reachable: made from ${await debianVersions()}`,
    waymark,
  };
}

/** The defaults of the compose files. */
function publishedBases(): Record<string, string> {
  const read = (file: string) => readFileSync(path.join(root, file), "utf8");
  const text = read("deploy/compose.yaml") + read("deploy/compose.observability.yaml");
  const found = text.matchAll(/\$\{((?:NODE|POSTGRES|REDIS|HAPROXY|PROMETHEUS)_IMAGE):-([^}]+)\}/g);
  return Object.fromEntries([...found].map(([, name = "", image = ""]) => [name, image]));
}

/** The Node of this process goes into it, so that nothing but Debian and npm is needed. */
async function makeDebian(): Promise<void> {
  if (await succeeds("docker", ["image", "inspect", DEBIAN])) return;
  await run("bash", [`${BASES}/make-debian.sh`, DEBIAN, process.execPath]);
}

async function debianBases(): Promise<Record<string, string>> {
  const names = ["node", "postgres", "redis", "haproxy", "prometheus"];
  const images = await Promise.all(
    names.map(async (name) => [`${name.toUpperCase()}_IMAGE`, await build(name, DEBIAN)] as const),
  );
  return Object.fromEntries(images);
}

async function build(name: string, debian: string): Promise<string> {
  const tag = `${IMAGE}-${name}`;
  const options = ["--network", "host", "--tag", tag, "--build-arg", `DEBIAN=${debian}`];
  await docker("build", ...options, "--file", `${BASES}/${name}.Dockerfile`, BASES);
  return tag;
}

async function debianVersions(): Promise<string> {
  const packages = "haproxy pgbouncer postgresql-17 redis-server";
  const script = `. /etc/os-release; echo "$PRETTY_NAME"; dpkg-query -W -f '\${Package} \${Version}\n' ${packages}; node --version`;
  const lines = (await docker("run", "--rm", DEBIAN, "sh", "-c", script)).split("\n");
  return lines.join(", ").replace(/, v(?=\d+\.\d+\.\d+$)/, ", Node ");
}
