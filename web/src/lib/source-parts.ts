import type { BuildKind, ScanSource } from "@waymark/shared/scans/source/schema.ts";

/** A part of what is known about a scan's source. */
export interface SourcePart {
  name: "pull request" | "kind" | "branch" | "author" | "commit";
  text: string;
  /** The whole text, if it is cut. */
  title?: string;
  /** The page that the part leads to. */
  href?: string;
}

/** Names of builds that neither a number nor a branch tells apart. */
const KINDS: Partial<Record<string, string>> = {
  fork: "fork",
  merge_queue: "merge queue",
  preview: "preview",
  tag: "tag",
} satisfies Partial<Record<BuildKind, string>>;

/** Hexadecimal digits, as `git log --oneline` has them. */
const COMMIT_DIGITS = 7;

/** Returns the parts of a source's line, such as "pull request 812 · drop-v0 → main · Mira · 8587dbd"; none for an unknown source. */
export function sourceParts(source: ScanSource | null): SourcePart[] {
  if (source === null) return [];
  const { pullRequest, pullRequestUrl, kind, branch, baseBranch, author, commit } = source;
  const parts: SourcePart[] = [];
  if (pullRequest !== null) {
    const href = webAddress(pullRequestUrl);
    parts.push({ name: "pull request", text: `pull request ${pullRequest}`, ...(href !== null && { href }) });
  }
  const named = KINDS[kind ?? ""];
  if (named !== undefined) parts.push({ name: "kind", text: named });
  const branches = describeBranches({ branch, baseBranch, isNamed: pullRequest !== null });
  if (branches !== null) parts.push({ name: "branch", text: branches });
  if (author !== null) parts.push({ name: "author", text: author });
  if (commit !== null) parts.push({ name: "commit", text: commit.slice(0, COMMIT_DIGITS), title: commit });
  return parts;
}

/** Returns an address that a browser may open; null for every other text. */
export function webAddress(address: string | null): string | null {
  return address !== null && /^https?:\/\//i.test(address) ? address : null;
}

/** Hosts whose pages of commits have this part between the repository and the commit. */
const COMMIT_PATHS: Readonly<Record<string, string>> = {
  "github.com": "commit",
  "gitlab.com": "-/commit",
  "bitbucket.org": "commits",
};

/** Returns the page of a source's commit; null if the repository is not on a host whose addresses are known. */
export function commitAddress({
  repository,
  commit,
}: Pick<ScanSource, "repository" | "commit">): string | null {
  const address = webAddress(repository);
  if (address === null || commit === null || !URL.canParse(address)) return null;
  const { host, pathname } = new URL(address);
  const part = COMMIT_PATHS[host];
  return part === undefined
    ? null
    : `https://${host}${pathname.replace(/(?:\.git)?\/?$/, "")}/${part}/${commit}`;
}

function describeBranches(branches: {
  branch: string | null;
  baseBranch: string | null;
  /** True if it follows the number of a pull request, so that it need not be called a branch. */
  isNamed: boolean;
}): string | null {
  const { branch, baseBranch, isNamed } = branches;
  if (branch === null) return baseBranch === null ? null : `into ${baseBranch}`;
  const own = isNamed ? branch : `branch ${branch}`;
  return baseBranch === null || baseBranch === branch ? own : `${own} → ${baseBranch}`;
}
