import type { CliContext } from "../context.ts";
import { ciFacts } from "./ci-facts.ts";

/** Where a scan comes from, as its request says. */
export interface SubmittedSource {
  branch?: string | undefined;
  commit?: string | undefined;
  /** The page of the build. */
  url?: string | undefined;
}

/** The branch, commit and build of the working directory; what is not known, or not valid, is left out. */
export async function scanSource(context: Pick<CliContext, "cwd" | "env">): Promise<SubmittedSource> {
  const { branch, commit, url } = (await ciFacts(context)) ?? {};
  const isCommit = commit !== undefined && /^[0-9a-f]{7,64}$/i.test(commit);
  return {
    ...(branch !== undefined && { branch }),
    ...(isCommit && { commit }),
    ...(url !== undefined && { url }),
  };
}

/** The headers of a source. They are ASCII, and names of branches need not be. */
export function sourceHeaders({ branch, commit, url }: SubmittedSource): Record<string, string> {
  return {
    ...(branch !== undefined && { "waymark-branch": encodeURIComponent(branch) }),
    ...(commit !== undefined && { "waymark-commit": commit }),
    ...(url !== undefined && { "waymark-build-url": url }),
  };
}
