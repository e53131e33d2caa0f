import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import type { DocumentSource } from "@waymark/shared/journeys/schema.ts";
import type { z } from "zod";
import { type Environment, given } from "../config.ts";
import type { CliContext } from "../context.ts";

/** Where files come from. */
export interface RepositoryFacts {
  /** The address of the repository, without a password. */
  repository: string | undefined;
  source: z.infer<typeof DocumentSource>;
}

const PARENTS_MAX = 50;

/** From the variables of GitHub Actions and GitLab, else from the files of git, which is not run. */
export async function repositoryFacts({
  cwd,
  env,
}: Pick<CliContext, "cwd" | "env">): Promise<RepositoryFacts> {
  const ci = factsOfPipeline(env);
  const { origin, commit, branch } = ci.origin === undefined ? await factsOfCheckout(cwd) : ci;
  return {
    repository: origin === undefined ? undefined : withoutPassword(origin),
    source: { ...(commit === undefined ? {} : { commit }), ...(branch === undefined ? {} : { branch }) },
  };
}

interface Facts {
  origin: string | undefined;
  commit: string | undefined;
  branch: string | undefined;
}

const NOTHING: Facts = { origin: undefined, commit: undefined, branch: undefined };

function factsOfPipeline(env: Environment): Facts {
  const [server, name] = [env["GITHUB_SERVER_URL"], env["GITHUB_REPOSITORY"]];
  if (server !== undefined && name !== undefined) {
    // In builds of pull requests, the name of the ref is that of a merge: 7/merge.
    const branch = given(env["GITHUB_HEAD_REF"]) ?? env["GITHUB_REF_NAME"];
    return { origin: `${server}/${name}`, commit: env["GITHUB_SHA"], branch };
  }
  return {
    origin: env["CI_PROJECT_URL"],
    commit: env["CI_COMMIT_SHA"],
    branch: env["CI_COMMIT_REF_NAME"],
  };
}

async function factsOfCheckout(cwd: string): Promise<Facts> {
  const folder = await gitFolder(cwd);
  if (folder === undefined) return NOTHING;
  const text = (name: string) => readFile(path.join(folder, name), "utf8").catch(() => "");
  const origin = /^\[remote "origin"\]$(?:\n(?!\[).*)*?\n\s*url\s*=\s*(\S+)/m.exec(await text("config"))?.[1];
  const head = (await text("HEAD")).trim();
  const branch = /^ref: refs\/heads\/([\w./-]+)$/.exec(head)?.[1];
  const commit = branch === undefined ? head : (await text(`refs/heads/${branch}`)).trim();
  return { origin, branch, commit: /^[0-9a-f]{40,64}$/.test(commit) ? commit : undefined };
}

async function gitFolder(cwd: string): Promise<string | undefined> {
  let folder = cwd;
  for (let parents = 0; parents < PARENTS_MAX; parents++) {
    const candidate = path.join(folder, ".git");
    const isFolder = await stat(candidate).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (isFolder) return candidate;
    if (path.dirname(folder) === folder) return undefined;
    folder = path.dirname(folder);
  }
  return undefined;
}

function withoutPassword(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  url.username = "";
  url.password = "";
  return url.href;
}
