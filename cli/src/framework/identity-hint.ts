import { type Environment, given } from "../lib/config.ts";

/** Says how a build gets an identity, where the CI system is known and gives none. */
export function identityHint(env: Environment): string[] {
  if (given(env["GITHUB_ACTIONS"]) !== undefined) {
    return [
      "Without a key, the job needs permissions: id-token: write, and the server a trust policy. Pull requests from forks get neither a key nor an identity.",
    ];
  }
  if (given(env["GITLAB_CI"]) !== undefined) {
    return ["Without a key, the job needs WAYMARK_ID_TOKEN in id_tokens, and the server a trust policy."];
  }
  return [];
}

/** True if the environment may have an identity of the build. */
export function hasIdentity(env: Environment): boolean {
  return ["WAYMARK_ID_TOKEN_FILE", "WAYMARK_ID_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_URL"].some(
    (name) => given(env[name]) !== undefined,
  );
}
