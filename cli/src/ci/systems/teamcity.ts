import { type Build, branchName, pullRequestNumber, textOf, type Variables } from "../build.ts";

/**
 * Reads the builds of TeamCity, whose facts are mostly in the files of its build parameters.
 * @see https://www.jetbrains.com/help/teamcity/predefined-build-parameters.html
 */
export function teamcity(variables: Variables): Build {
  const build = properties(variables.file("TEAMCITY_BUILD_PROPERTIES_FILE"));
  const file = build.get("teamcity.configuration.properties.file");
  const parameters = new Map([...properties(file === undefined ? undefined : textOf(file)), ...build]);
  const read = (name: string) => parameters.get(name);
  const server = read("teamcity.serverUrl")?.replace(/\/$/, "");
  const id = read("teamcity.build.id");
  return {
    repository: read("vcsroot.url"),
    url:
      server === undefined || id === undefined
        ? variables.first("BUILD_URL")
        : `${server}/viewLog.html?buildId=${encodeURIComponent(id)}`,
    ...refOf(read, variables.first("BUILD_VCS_NUMBER") ?? read("build.vcs.number")),
  };
}

function refOf(read: (name: string) => string | undefined, commit: string | undefined): Build {
  const root = read("vcsroot.branch");
  const ref = read("teamcity.build.vcs.branch") ?? read("teamcity.build.branch");
  const number =
    read("teamcity.pullRequest.number") ??
    (/^(?:refs\/)?(?:pull|pull-requests|merge-requests)\//.test(ref ?? "") ? numberOf(ref) : undefined);
  if (number !== undefined) {
    return {
      kind: "pull_request",
      branch: branchName(read("teamcity.pullRequest.source.branch")),
      commit: ref?.endsWith("/merge") === true ? undefined : commit,
      baseBranch: branchName(read("teamcity.pullRequest.target.branch")),
      pullRequest: number,
    };
  }
  if (ref?.startsWith("refs/tags/") === true) return { kind: "tag", commit };
  const isNamed = ref !== undefined && ref !== "<default>";
  const isDefault = read("teamcity.build.branch.is_default");
  return {
    kind: "branch",
    branch: branchName(isNamed ? ref : root),
    commit,
    // Without branches, TeamCity builds the default branch of the VCS root only.
    isDefaultBranch: isDefault === undefined ? (isNamed ? undefined : true) : isDefault === "true",
    defaultBranch: branchName(root),
  };
}

function numberOf(ref: string | undefined): string | undefined {
  return pullRequestNumber(ref?.replace(/\/from$/, ""));
}

/** Parses a Java properties file: `key=value` lines, in which `\:` is `:` and `\u0041` is `A`. */
function properties(text: string | undefined): Map<string, string> {
  const entries = (text ?? "").split(/\r?\n/).flatMap((line) => {
    const match = /^\s*([^#!=:\s](?:\\.|[^=:\\\s])*)\s*[=:]\s*(.*)$/.exec(line);
    return match === null ? [] : [[unescape(match[1] ?? ""), unescape(match[2] ?? "")] as const];
  });
  return new Map(entries);
}

function unescape(text: string): string {
  return text.replace(/\\(?:u([0-9a-f]{4})|(.))/gi, (_, code: string | undefined, character = "") =>
    code === undefined ? String(character) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
