import type { Secret } from "../../api/environments-api.ts";

/** One line of a secret, without its value, which nobody can read. */
export function describeSecret({ name, version, hosts, lastUsedAt }: Secret): string {
  const used = lastUsedAt === null ? "never used" : `last used ${lastUsedAt}`;
  return `${name}  version ${version}, for ${hosts.join(", ")}, ${used}`;
}
