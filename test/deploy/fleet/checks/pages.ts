import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { findFreePort } from "../../../../scripts/postgres/free-port.ts";
import { root } from "../../../../scripts/bootstrap/checkout.mjs";
import { type Check, mustBe } from "../check.ts";
import { run, succeeds } from "../run.ts";

const FOLDER = "docs/operations";
/** Each page's commands work on what the pages before it have left. */
const ORDER = ["install", "size", "fail-over", "poolers", "back-up", "upgrade", "go-back"];
/** Files that the commands write into the checkout. */
const WRITTEN = ["waymark.env", "waymark.dump", "deploy/secrets"];

export const pages: Check = {
  title: "The pages for operators",
  what: "Every command of docs/operations/*.md is run as it stands there, in one shell, with a fleet of its own.",
  async run(fleet) {
    const files = readdirSync(path.join(root, FOLDER)).map((file) => file.replace(/\.md$/, ""));
    mustBe("the pages", files.toSorted().join(), ORDER.toSorted().join());
    const present = WRITTEN.filter((file) => existsSync(path.join(root, file)));
    mustBe("files that the commands would overwrite", present.join(), "");
    const blocks = ORDER.map((page) => ({ page, commands: commandsOf(page) }));
    const script = [
      "set -euo pipefail",
      await composePlugin(),
      ...blocks.flatMap(({ page, commands }) => [`echo "== ${page}"`, ...commands]),
    ];
    const env = {
      ...fleet.images.env,
      DOCKER_BUILDKIT: "0",
      COMPOSE_PROJECT_NAME: "waymark-pages",
      WAYMARK_IMAGE: "waymark",
      WAYMARK_PORT: String(await findFreePort()),
    };
    try {
      await run("bash", ["-c", script.join("\n")], env);
    } finally {
      const end = [
        await composePlugin(),
        "docker compose --file deploy/compose.yaml --env-file waymark.env down --volumes --timeout 5",
      ];
      await run("bash", ["-c", end.join("\n")], env).catch(() => undefined);
      for (const file of WRITTEN) rmSync(path.join(root, file), { force: true, recursive: true });
    }
    return Object.fromEntries(
      blocks.map(({ page, commands }) => [`blocks of commands, ${page}.md`, commands.length]),
    );
  },
};

function commandsOf(page: string): string[] {
  const text = readFileSync(path.join(root, FOLDER, `${page}.md`), "utf8");
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map((match) => match[1] ?? "");
}

/** Debian's compose is a program of its own: `docker compose` leads to it. */
async function composePlugin(): Promise<string> {
  if (await succeeds("docker", ["compose", "version"])) return "";
  return 'docker() { if [ "$1" = compose ]; then shift; docker-compose "$@"; else command docker "$@"; fi; }';
}
