import { carriesCredentials } from "@waymark/shared/lib/carries-credentials.ts";
import { INVISIBLE_CHARACTER } from "@waymark/shared/lib/invisible.ts";
import type { JourneyRunCi } from "@waymark/shared/journey-runs/schema.ts";
import { AUTHOR_CHARS_MAX, BRANCH_CHARS_MAX } from "@waymark/shared/scans/limits.ts";
import {
  type BuildKind,
  ofSourceFields,
  SOURCE_FIELDS,
  type SourceFieldName,
  type SubmittedSource,
} from "@waymark/shared/scans/source/schema.ts";
import type { CliContext } from "../framework/context.ts";
import { authorsCommit, authorsName, type Checkout, isAncestor, readCheckout } from "./checkout.ts";
import { type DetectedBuild, detectBuild } from "./detect-build.ts";

/**
 * The place that files come from: a build, or a checkout on somebody's machine. A fact that is not known is undefined. Addresses have no
 * password.
 */
export interface Source extends Readonly<Record<SourceFieldName, string | undefined>> {
  /** True in a pipeline. */
  isBuild: boolean;
  kind: BuildKind;
  /** The CI system, such as `GitHub Actions`. */
  system: string | undefined;
  isDefaultBranch: boolean | undefined;
}

type Place = Pick<CliContext, "cwd" | "env">;

const TEXT_MAX = BRANCH_CHARS_MAX;
const URL_MAX = 2_000;
const INVISIBLE = new RegExp(INVISIBLE_CHARACTER, "gu");
/** The part of a pull request's address before its number, on hosts that have one address. */
const PULL_REQUEST_PATHS: Readonly<Record<string, string>> = {
  "github.com": "pull",
  "gitlab.com": "-/merge_requests",
  "bitbucket.org": "pull-requests",
};

/** Returns the source of the files in the working directory: the facts of its build, and those of git. */
export async function findSource(place: Place): Promise<Source> {
  const checkout = await readCheckout(place.cwd, place.env);
  const build = detectBuild(place.env, checkout?.commit);
  const { branch, commit: named } =
    build === undefined
      ? { branch: checkout?.branch, commit: checkout?.commit }
      : await refOf(place, build, checkout);
  const commit = isCommit(named) ? named : undefined;
  return {
    isBuild: build !== undefined,
    kind: build?.kind ?? "branch",
    system: build?.system,
    branch: textOf(branch),
    commit,
    author: displayName(await authorsName(place.cwd, place.env, commit)) ?? displayName(build?.author),
    pullRequest: build?.pullRequest,
    pullRequestUrl: pageOf(build?.pullRequestUrl ?? pullRequestPage(build)),
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
  if (build.kind === "pull_request" || build.kind === "merge_queue") {
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

/** The branches that `waymark.yaml` names. */
interface NamedBranches {
  defaultBranch?: string | undefined;
  /** Names, or the beginnings of names with a `*` at their end. */
  longLivedBranches?: readonly string[] | undefined;
}

/** Returns the facts that a scan's request has. What is not known, or would be refused, is left out. */
export function submittedSource(source: Source, named: NamedBranches): SubmittedSource {
  const facts = {
    ...source,
    kind: source.isBuild ? source.kind : undefined,
    baseBranch: source.baseBranch ?? longLivedBranch(source, named),
    defaultBranch: defaultBranchOf(source, named.defaultBranch),
  };
  const values = ofSourceFields(({ value }, name) => value.safeParse(facts[name]).data);
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** Returns the branch that is built if it lives long: its runs are compared with those before them. */
function longLivedBranch(
  { isBuild, kind, branch }: Source,
  { longLivedBranches }: NamedBranches,
): string | undefined {
  if (!isBuild || kind !== "branch" || branch === undefined) return undefined;
  const isLongLived = longLivedBranches?.some((name) =>
    name.endsWith("*") ? branch.startsWith(name.slice(0, -1)) : branch === name,
  );
  return isLongLived === true ? branch : undefined;
}

/** Returns the default branch of the repository that is built. That of a fork, or of a clone from long ago, says nothing about it. */
function defaultBranchOf(source: Source, named: string | undefined): string | undefined {
  if (!source.isBuild || source.kind === "fork") return undefined;
  return named ?? source.defaultBranch ?? (source.isDefaultBranch === true ? source.branch : undefined);
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

/** Returns the name in a commit's author line such as `Mira <mira@shop.example>`; undefined if it is only an address. */
function displayName(author: string | undefined): string | undefined {
  const name = (author ?? "")
    .replaceAll(/<[^<>]*@[^<>]*>/g, "")
    .replaceAll(INVISIBLE, "")
    .trim();
  return SOURCE_FIELDS.author.value.safeParse(Array.from(name).slice(0, AUTHOR_CHARS_MAX).join("").trim())
    .data;
}

/** Returns the page of a pull request on the hosts whose addresses everybody knows. */
function pullRequestPage(build: Pick<DetectedBuild, "pullRequest" | "repository"> | undefined) {
  const match =
    /^(?:https?:\/\/|ssh:\/\/git@|git@)(github\.com|gitlab\.com|bitbucket\.org)[/:](.+?)(?:\.git)?\/?$/.exec(
      build?.repository ?? "",
    );
  if (match === null || build?.pullRequest === undefined) return undefined;
  const [, host = "", path = ""] = match;
  return `https://${host}/${path}/${PULL_REQUEST_PATHS[host]}/${build.pullRequest}`;
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
