import { execFileSync } from "node:child_process";
import { processEnvironment } from "../lib/config.ts";
import { temporaryFolder } from "./run-captured.ts";

/** The variables that git needs, without the settings of this machine. */
export const GIT_ENVIRONMENT = {
  PATH: processEnvironment()["PATH"],
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.test",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.test",
};

/** Creates a repository with one commit on a branch, and a remote whose address has a password. */
export async function createRepository({ branch = "trunk" } = {}) {
  const { path: folder, write } = await temporaryFolder();
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-C", folder, "-c", "protocol.file.allow=always", ...args], {
      encoding: "utf8",
      env: GIT_ENVIRONMENT,
    }).trim();
  git("init", "--quiet", `--initial-branch=${branch}`);
  git("remote", "add", "origin", "https://ci:secret@git.example/acme/shop.git");
  git("commit", "--quiet", "--allow-empty", "--message=one");
  return { folder, git, write };
}
