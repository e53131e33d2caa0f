import { carriesCredentials } from "@waymark/shared/lib/carries-credentials.ts";
import type { JourneyRunCi } from "@waymark/shared/journey-runs/schema.ts";
import { BRANCH_CHARS_MAX } from "@waymark/shared/scans/limits.ts";
import type { SubmittedSource } from "../api/scans-api.ts";
import type { CliContext } from "../framework/context.ts";
import type { BuildKind } from "./build.ts";
import { authorsCommit, type Checkout, isAncestor, readCheckout } from "./checkout.ts";
import { type DetectedBuild, detectBuild } from "./detect-build.ts";

/** The place that files come from: a build, or a checkout on somebody's machine. A fact that is not known is undefined. */
export interface Source {
  /** True in a pipeline. */
  isBuild: boolean;
  kind: BuildKind;
  /** The CI system, such as `GitHub Actions`. */
  system: string | undefined;
  branch: string | undefined;
  commit: string | undefined;
  pullRequest: string | undefined;
  baseBranch: string | undefined;
  defaultBranch: string | undefined;
  isDefaultBranch: boolean | undefined;
  /** The address of the repository, without a password. */
  repository: string | undefined;
  /** The page of the build, without a password. */
  url: string | undefined;
}

type Place = Pick<CliContext, "cwd" | "env">;

const TEXT_MAX = BRANCH_CHARS_MAX;
const URL_MAX = 2_000;

/** Returns the source of the files in the working directory: the facts of its build, and those of git. */
export async function findSource(place: Place): Promise<Source> {
  const checkout = await readCheckout(place.cwd, place.env);
  const build = detectBuild(place.env, checkout?.commit);
  const { branch, commit } =
    build === undefined
      ? { branch: checkout?.branch, commit: checkout?.commit }
      : await refOf(place, build, checkout);
  return {
    isBuild: build !== undefined,
    kind: build?.kind ?? "branch",
    system: build?.system,
    branch: textOf(branch),
    commit: isCommit(commit) ? commit : undefined,
    pullRequest: build?.pullRequest,
    baseBranch: textOf(build?.baseBranch),
    defaultBranch: textOf(build?.defaultBranch ?? checkout?.defaultBranch),
    isDefaultBranch: build?.isDefaultBranch,
    repository: withoutPassword(textOf(build?.repository ?? checkout?.origin)),
    url: pageOf(build?.url),
  };
}

interface Ref {
  branch: string | undefined;
  commit: string | undefined;
}

async function refOf(place: Place, build: DetectedBuild, checkout: Checkout | undefined): Promise<Ref> {
  // Buildkite's commit can be the word HEAD.
  const commit = isCommit(build.commit) ? build.commit : undefined;
  if (build.kind === "pull request" || build.kind === "merge queue") {
    return {
      branch: build.branch,
      commit: commit ?? (await authorsCommit(place.cwd, place.env, build.baseBranch)),
    };
  }
  if (build.kind !== "branch") return { branch: build.branch, commit: commit ?? checkout?.commit };
  if (commit === undefined || !isOtherRef(build, checkout)) {
    return { branch: build.branch ?? checkout?.branch, commit: commit ?? checkout?.commit };
  }
  // The job made commits on top of the one that it builds, such as that of a version.
  const isOnTop = await isAncestor(place.cwd, place.env, [commit, checkout.commit]);
  if (isOnTop && (checkout.branch === undefined || checkout.branch === build.branch)) {
    return { branch: build.branch, commit };
  }
  return { branch: checkout.branch, commit: checkout.commit };
}

/** True if the job has checked out another ref of its repository than the one that it was started for. */
function isOtherRef(
  build: DetectedBuild,
  checkout: Checkout | undefined,
): checkout is Checkout & { commit: string } {
  if (checkout?.commit === undefined || checkout.commit === build.commit) return false;
  return nameOf(build.repository) !== undefined && nameOf(build.repository) === nameOf(checkout.origin);
}

/** Returns the last part of a repository's address, which mirrors and other protocols share. */
function nameOf(address: string | undefined): string | undefined {
  return address
    ?.replace(/\/$/, "")
    .replace(/\.git$/, "")
    .split(/[/:]/)
    .at(-1)
    ?.toLowerCase();
}

/** Returns the facts that a scan's request has. What is not known is left out. */
export function submittedSource({ branch, commit, url }: Source): SubmittedSource {
  return {
    ...(branch !== undefined && { branch }),
    ...(commit !== undefined && { commit }),
    ...(url !== undefined && { url }),
  };
}

/** Returns the facts of a source that an uploaded result has; undefined without any. */
export function resultSource({ system, url, repository, commit, branch }: Source): JourneyRunCi | undefined {
  const named = Object.entries({ system, url, repository, commit, branch });
  const known = named.filter(([, value]) => value !== undefined);
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

function isCommit(text: string | undefined): text is string {
  return text !== undefined && /^[0-9a-f]{7,64}$/i.test(text);
}

/** Names of branches are a stranger's: one that the server would refuse is left out, and the scan is not lost for it. */
function textOf(text: string | undefined): string | undefined {
  if (text === undefined || text === "" || text.length > TEXT_MAX || /[\p{Cc}\p{Cs}]/u.test(text))
    return undefined;
  return text;
}

function pageOf(address: string | undefined): string | undefined {
  if (address === undefined || address.length > URL_MAX || !/^https?:/i.test(address)) return undefined;
  return URL.canParse(address) ? withoutPassword(address) : undefined;
}

/** Removes a password, which everybody who may read the run would see. An address with another credential is left out. */
function withoutPassword(address: string | undefined): string | undefined {
  if (address === undefined) return undefined;
  const shown = URL.canParse(address) ? withoutUser(new URL(address)) : address;
  return carriesCredentials(shown) ? undefined : shown;
}

function withoutUser(url: URL): string {
  url.username = "";
  url.password = "";
  return url.href;
}
