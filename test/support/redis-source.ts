import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { step } from "../../scripts/bootstrap/progress.mjs";
import { findOrInstall, findProgram } from "./debian-package.ts";

const run = promisify(execFile);
const SERVERS = ["redis-server", "valkey-server"] as const;
const MANUAL =
  "These tests need a real Redis. Set REDIS_URL to one that tests may empty, start Docker, or put redis-server or " +
  "valkey-server on the PATH (Debian and Ubuntu: apt-get install redis-server; macOS: brew install redis).";

/** Where tests get a real Redis from. */
export type RedisSource =
  /** `file` is for tests that need a process to kill, if there is a program for it. */
  | { kind: "url"; url: string; file: string | undefined }
  | { kind: "docker"; image: string; file: string | undefined }
  | { kind: "program"; file: string }
  /** Tests that need Redis fail with this text; the others run. */
  | { kind: "none"; whatToDo: string };

/** REDIS_URL, else Docker, else a server on the PATH, else (Debian and Ubuntu, as root) one installed with apt. */
export async function findRedisSource(): Promise<RedisSource> {
  const url = process.env["REDIS_URL"];
  if (url !== undefined && url !== "") return { kind: "url", url, file: findServer() };
  const image = process.env["REDIS_IMAGE"] ?? "redis:7.4.11-alpine";
  if ((await dockerAnswers()) && (await hasImage(image)))
    return { kind: "docker", image, file: findServer() };
  const server = await findOrInstall(SERVERS, { debianPackage: "redis-server", manual: MANUAL });
  return "file" in server ? { kind: "program", ...server } : { kind: "none", ...server };
}

async function dockerAnswers(): Promise<boolean> {
  if (process.env["DOCKER_HOST"] === undefined && !existsSync("/var/run/docker.sock")) return false;
  return run("docker", ["info", "--format", "{{.ServerVersion}}"], { timeout: 5_000 }).then(
    ({ stdout }) => stdout.trim() !== "",
    () => false,
  );
}

/** False if the image is neither installed nor available, for example because the registry can't be reached. */
async function hasImage(image: string): Promise<boolean> {
  const here = await run("docker", ["image", "inspect", image]).then(
    () => true,
    () => false,
  );
  if (here) return true;
  return step(`Fetching the image ${image}, for the tests that need Redis`, () =>
    run("docker", ["pull", "-q", image], { timeout: 180_000 }),
  ).then(
    () => true,
    () => false,
  );
}

function findServer(): string | undefined {
  return findProgram(...SERVERS);
}
