import {
  type Build,
  type BuildReader,
  branchName,
  forkBranch,
  mergeQueueBuild,
  ownerOf,
  pullRequestNumber,
  type Variables,
} from "../build.ts";

type Names = readonly string[];

/** The variables in which a system has its facts; of several, the first that is not empty counts. */
export interface NamedVariables {
  branch: Names;
  commit: Names;
  tag?: Names;
  /** A number, or an address that ends in one; `false` and `0` are none. */
  pullRequest?: Names;
  /** True for a build of a pull request, if its number does not say that. */
  isPullRequest?: (variables: Variables) => boolean;
  /** True for what is neither a branch nor a pull request, such as a deployment of an older commit. */
  isPreview?: (variables: Variables) => boolean;
  /** The page of the pull request. Not needed where `pullRequest` has its address. */
  pullRequestUrl?: Names | ((variables: Variables) => string | undefined);
  /** The name of the commit's author. */
  author?: Names;
  pullRequestBranch?: Names;
  /** Without it, the commit of a pull request's build may be a merge, and only a checkout can tell. */
  pullRequestCommit?: Names;
  baseBranch?: Names;
  /** The owner, name or address of the repository that a pull request comes from. */
  fork?: Names;
  /** The name or address of this repository. */
  repository?: Names;
  defaultBranch?: Names;
  isDefaultBranch?: (variables: Variables) => boolean | undefined;
  url?: Names | ((variables: Variables) => string | undefined);
}

/** Returns a reader for a system whose variables hold the facts as they are. */
export function fromVariables(names: NamedVariables): BuildReader {
  return (variables) => {
    const read = (list: Names = []) => variables.first(...list);
    const repository = read(names.repository);
    return {
      defaultBranch: branchName(read(names.defaultBranch)),
      isDefaultBranch: names.isDefaultBranch?.(variables),
      repository: repository?.includes(":") === true ? repository : undefined,
      url: addressIn(variables, names.url),
      author: read(names.author),
      ...refOf(variables, names),
    };
  };
}

function refOf(variables: Variables, names: NamedVariables): Build {
  const read = (list: Names = []) => variables.first(...list);
  const commit = read(names.commit);
  const number = read(names.pullRequest);
  const isNumbered = number !== undefined && !/^(?:false|0)$/i.test(number);
  if (names.isPullRequest?.(variables) ?? isNumbered) {
    // The name of a ref that a host made, such as pull/12/head, says nothing about the author's branch.
    const named = branchName(read(names.pullRequestBranch));
    const branch = /^(?:refs\/)?pull\/\d+/.test(named ?? "") ? undefined : named;
    return {
      kind: "pull_request",
      branch: forkBranch(forkOwner(read(names.fork), read(names.repository)), branch),
      commit: read(names.pullRequestCommit),
      baseBranch: branchName(read(names.baseBranch)),
      pullRequest: isNumbered ? pullRequestNumber(number) : undefined,
      pullRequestUrl: addressIn(variables, names.pullRequestUrl) ?? addressOf(number),
    };
  }
  const branch = read(names.branch);
  const tag = read(names.tag);
  if ((tag !== undefined && tag !== "false") || branch?.startsWith("refs/tags/") === true) {
    return { kind: "tag", commit };
  }
  const queued = mergeQueueBuild(branchName(branch));
  if (queued !== undefined) return { ...queued, commit };
  const kind = names.isPreview?.(variables) === true ? "preview" : "branch";
  const pullRequest = isNumbered ? pullRequestNumber(number) : undefined;
  return { kind, branch: branchName(branch), commit, pullRequest };
}

function addressIn(variables: Variables, names: NamedVariables["url"] = []): string | undefined {
  return typeof names === "function" ? names(variables) : variables.first(...names);
}

function addressOf(text: string | undefined): string | undefined {
  return text?.includes("://") === true ? text : undefined;
}

/** Returns the owner of a fork; undefined where a pull request comes from the repository itself. */
function forkOwner(fork: string | undefined, repository: string | undefined): string | undefined {
  if (fork === undefined || /^(?:true|false)$/i.test(fork)) return undefined;
  const owner = ownerOf(fork) ?? fork;
  return owner.toLowerCase() === ownerOf(repository)?.toLowerCase() ? undefined : owner;
}
