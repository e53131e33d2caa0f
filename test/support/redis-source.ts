import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { withFileLock } from "../../scripts/bootstrap/file-lock.mjs";
import { step } from "../../scripts/bootstrap/progress.mjs";

const run = promisify(execFile);

/** Where tests get a real Redis from. */
export type RedisSource =
  /** `file` is for tests that must have a process to kill, where there is a program for it. */
  | { kind: "url"; url: string; file: string | undefined }
  | { kind: "docker"; image: string; file: string | undefined }
  | { kind: "program"; file: string }
  /** Tests that need Redis fail with this text; those that don't run. */
  | { kind: "none"; whatToDo: string };

/** REDIS_URL, else Docker, else a server on the PATH, else (Debian and Ubuntu, as root) one installed with apt. */
export async function findRedisSource(): Promise<RedisSource> {
  const url = process.env["REDIS_URL"];
  if (url !== undefined && url !== "") return { kind: "url", url, file: findProgram() };
  const image = process.env["REDIS_IMAGE"] ?? "redis:7.4-alpine";
  if ((await dockerAnswers()) && (await hasImage(image)))
    return { kind: "docker", image, file: findProgram() };
  const file = findProgram();
  if (file !== undefined) return { kind: "program", file };
  return installWithApt();
}

async function dockerAnswers(): Promise<boolean> {
  if (process.env["DOCKER_HOST"] === undefined && !existsSync("/var/run/docker.sock")) return false;
  return run("docker", ["info", "--format", "{{.ServerVersion}}"], { timeout: 5_000 }).then(
    ({ stdout }) => stdout.trim() !== "",
    () => false,
  );
}

/** False where the image is neither here nor to be had: an engine without a way to the registry is no engine to us. */
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

function findProgram(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(path.delimiter);
  return ["redis-server", "valkey-server"]
    .flatMap((name) => folders.map((folder) => path.join(folder, name)))
    .find((file) => existsSync(file));
}

async function installWithApt(): Promise<RedisSource> {
  const manual =
    "These tests need a real Redis. Set REDIS_URL to one that tests may empty, start Docker, or put redis-server or " +
    "valkey-server on the PATH (Debian and Ubuntu: apt-get install redis-server; macOS: brew install redis).";
  const system = existsSync("/etc/os-release") ? readFileSync("/etc/os-release", "utf8") : "";
  const debian = /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(system);
  if (!debian || process.getuid?.() !== 0) return { kind: "none", whatToDo: manual };

  return withFileLock(path.join(tmpdir(), "waymark-apt.lock"), {}, async () => {
    const present = findProgram();
    if (present !== undefined) return { kind: "program", file: present };
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    try {
      await step("Installing redis-server with apt, for the tests that need it", async () => {
        // One source of several that can't be reached fails the update, and need not concern us.
        await run("apt-get", ["update", "-q"], { env }).catch(() => undefined);
        await run("apt-get", ["install", "-y", "-q", "--no-install-recommends", "redis-server"], { env });
      });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { kind: "none", whatToDo: `${manual} Installing it with apt failed: ${reason}` };
    }
    const file = findProgram();
    return file === undefined ? { kind: "none", whatToDo: manual } : { kind: "program", file };
  });
}
