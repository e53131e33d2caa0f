import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { findFreePort } from "../../scripts/postgres/free-port.ts";
import { runPostgresProgram, serverAccount } from "../../scripts/postgres/installation.ts";
import { startPostgres } from "../../scripts/postgres/start-postgres.ts";

let parent: string;
let folder: string;

beforeAll(() => {
  parent = mkdtempSync(path.join(tmpdir(), "waymark-postgres-"));
  chmodSync(parent, 0o755);
  folder = path.join(parent, "data");
});

afterAll(() => {
  rmSync(parent, { recursive: true, force: true });
});

function pidFile(): string {
  return path.join(folder, "postgres/postmaster.pid");
}

/** False for a zombie process. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return stdout !== "" && !stdout.startsWith("Z");
}

async function query<T extends object>(databaseUrl: string, text: string): Promise<T[]> {
  const client = new Client(databaseUrl);
  // If the server is killed, the connection ends, and the next query fails.
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query<T>(text)).rows;
  } finally {
    await client.end();
  }
}

/** Another process that starts the same server and stays. */
async function launchElsewhere(): Promise<{ launcher: ChildProcess; pid: number }> {
  const script = fileURLToPath(new URL("../support/postgres/launch.ts", import.meta.url));
  const launcher = spawn(process.execPath, [script, folder], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void launcher.kill("SIGKILL"));
  const [line] = await once(launcher.stdout.setEncoding("utf8"), "data");
  return { launcher, pid: Number(line) };
}

describe("the embedded Postgres", () => {
  test("keeps its data from one start to the next, and is gone in between", async () => {
    const first = await startPostgres({ folder });
    await query(first.databaseUrl, "CREATE TABLE kept AS SELECT 42 AS answer");
    await first.stop();
    await expect.poll(() => isRunning(first.pid)).toBe(false);
    const second = await startPostgres({ folder });
    await expect(query(second.databaseUrl, "SELECT answer FROM kept")).resolves.toEqual([{ answer: 42 }]);
    await second.stop();
  });

  test("requires its password from everybody", async () => {
    const postgres = await startPostgres({ folder });
    const url = new URL(postgres.databaseUrl);
    url.password = "guessed";
    await expect(query(url.href, "SELECT 1")).rejects.toThrow(/password authentication failed/);
    expect(statSync(path.join(folder, "postgres.json")).mode & 0o777).toBe(0o600);
    await postgres.stop();
  });

  test("comes back with what was committed after a kill -9", async () => {
    const killed = await startPostgres({ folder });
    await query(killed.databaseUrl, "CREATE TABLE committed AS SELECT 1 AS one");
    process.kill(killed.pid, "SIGKILL");
    await killed.gone;
    const next = await startPostgres({ folder });
    await expect(query(next.databaseUrl, "SELECT one FROM committed")).resolves.toEqual([{ one: 1 }]);
    await next.stop();
  });

  test("is adopted by the next launcher when the first was killed", async () => {
    const { launcher, pid } = await launchElsewhere();
    launcher.kill("SIGKILL");
    await once(launcher, "exit");
    expect(isRunning(pid)).toBe(true);
    const adopted = await startPostgres({ folder });
    expect(adopted.pid).toBe(pid);
    await adopted.stop();
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  test("serves two launchers that start at once, and ends with the last of them", async () => {
    const [elsewhere, here] = await Promise.all([launchElsewhere(), startPostgres({ folder })]);
    expect(elsewhere.pid).toBe(here.pid);
    await here.stop();
    expect(isRunning(here.pid)).toBe(true);
    elsewhere.launcher.stdin?.end();
    await once(elsewhere.launcher, "exit");
    await expect.poll(() => isRunning(here.pid)).toBe(false);
  });

  test("uses another port if the wanted one is in use", async () => {
    const port = await findFreePort();
    const occupant = createServer().listen(port, "127.0.0.1");
    await once(occupant, "listening");
    const postgres = await startPostgres({ folder, port });
    expect(new URL(postgres.databaseUrl).port).not.toBe(String(port));
    await expect(query(postgres.databaseUrl, "SELECT 1 AS one")).resolves.toEqual([{ one: 1 }]);
    await postgres.stop();
    occupant.close();
  });

  test("ignores a pid file whose number now belongs to another program", async () => {
    const before = await startPostgres({ folder });
    const content = readFileSync(pidFile(), "utf8");
    await before.stop();
    // As the server's own user, because Postgres ignores processes that it can't signal.
    const other = spawn("/bin/sleep", ["60"], { ...serverAccount(), stdio: "ignore" });
    onTestFinished(() => void other.kill("SIGKILL"));
    writeFileSync(pidFile(), content.replace(/^\d+/, String(other.pid)));
    const postgres = await startPostgres({ folder });
    await expect(query(postgres.databaseUrl, "SELECT 1 AS one")).resolves.toEqual([{ one: 1 }]);
    await postgres.stop();
  });

  // Needs /bin/sh: Windows has no zombies.
  test("ignores a pid file whose process is a zombie", async () => {
    const before = await startPostgres({ folder });
    const content = readFileSync(pidFile(), "utf8");
    await before.stop();
    // The shell starts a child that waits for input, and becomes `sleep`, which never reaps it.
    const parentOfZombie = spawn(
      "/bin/sh",
      ["-c", 'cat <&3 & echo $!; exec sh -c "echo ready; exec sleep 60" 3<&-'],
      {
        ...serverAccount(),
        stdio: ["ignore", "pipe", "inherit", "pipe"],
      },
    );
    onTestFinished(() => void parentOfZombie.kill("SIGKILL"));
    let printed = "";
    parentOfZombie.stdout?.setEncoding("utf8").on("data", (chunk: string) => (printed += chunk));
    await expect.poll(() => printed).toContain("ready");
    parentOfZombie.stdio[3]?.destroy();
    const [line] = printed.split("\n");
    const zombie = Number(line);
    await expect.poll(() => isRunning(zombie)).toBe(false);
    expect(process.kill(zombie, 0)).toBe(true);

    writeFileSync(pidFile(), content.replace(/^\d+/, String(zombie)));
    const postgres = await startPostgres({ folder });
    await expect(query(postgres.databaseUrl, "SELECT 1 AS one")).resolves.toEqual([{ one: 1 }]);
    await postgres.stop();
  });

  test("runs below a folder that others can't enter, and stores the password there", async () => {
    const hidden = path.join(parent, "hidden");
    mkdirSync(hidden, { mode: 0o700 });
    const place = path.join(hidden, "data");
    const postgres = await startPostgres({ folder: place });
    await expect(query(postgres.databaseUrl, "SELECT 1 AS one")).resolves.toEqual([{ one: 1 }]);
    await postgres.stop();
    const record: { directory: string } = JSON.parse(readFileSync(path.join(place, "postgres.json"), "utf8"));
    const cluster = path.resolve(place, record.directory);
    onTestFinished(() => rmSync(path.dirname(cluster), { recursive: true, force: true }));
    // Root's server runs as another user, who could not reach that folder.
    expect(cluster.startsWith(hidden)).toBe(process.getuid?.() !== 0);
    expect(existsSync(path.join(cluster, "PG_VERSION"))).toBe(true);
  });

  test("says what is wrong when its password was lost", async () => {
    const place = path.join(parent, "lost");
    mkdirSync(path.join(place, "postgres"), { recursive: true });
    await expect(startPostgres({ folder: place })).rejects.toThrow(/postgres\.json is missing/);
  });
});

test.runIf(process.platform === "linux")(
  "a program whose C library is missing is not said to be missing itself",
  async () => {
    const binaries = mkdtempSync(path.join(tmpdir(), "waymark-no-glibc-"));
    onTestFinished(() => rmSync(binaries, { recursive: true, force: true }));
    mkdirSync(path.join(binaries, "bin"));
    // A program that asks for another loader: what one that is built for glibc is on a system with musl.
    const program = readFileSync("/bin/true")
      .toString("latin1")
      .replace(/\/ld-linux[^\0]*/, (name) => "/".padEnd(name.length, "x"));
    writeFileSync(path.join(binaries, "bin/initdb"), Buffer.from(program, "latin1"), { mode: 0o755 });
    const run = (name: string) => runPostgresProgram({ binaries, account: undefined }, [name]);
    expect(await run("initdb")).toMatch(/initdb needs glibc, which this system lacks.* Set DATABASE_URL/);
    expect(await run("postgres")).toMatch(/postgres ENOENT$/);
  },
);
