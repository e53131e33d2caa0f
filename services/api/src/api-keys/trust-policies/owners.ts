/** A kind of issuer, and the claims of its tokens that say whose workload it is. */
interface IssuerKind {
  name: string;
  /** True if this kind has the issuer. */
  has: (issuer: string) => boolean;
  /** By claim: what a pattern must begin with to name an owner, complete with the separator after the name. */
  owners: Readonly<Record<string, RegExp>>;
  /** True if the issuer's address itself names the owner, so that it has no tokens of strangers. */
  isOwn?: true;
  /** The claims that never change, unlike names, which can be given up and taken by others. */
  ids?: readonly string[];
  example: string;
}

const ID = /^[0-9A-Za-z-]+$/;
const NAME = /^[^*/:]+$/;
const PATH = /^[^*/]+\//;

const GITHUB: IssuerKind = {
  name: "GitHub Actions",
  has: (issuer) =>
    /^https:\/\/token\.actions\.(?:githubusercontent\.com|[a-z0-9-]+\.ghe\.com)(?:\/[^/]+)?$/.test(issuer) ||
    issuer.endsWith("/_services/token"),
  owners: {
    repository_owner_id: /^[0-9]+$/,
    repository_id: /^[0-9]+$/,
    repository_owner: NAME,
    repository: PATH,
    // With ids, GitHub writes repo:acme@65/payments@74:…
    sub: /^(?:repo:[^*/:]+\/|repository_owner(?:_id)?:[^*:]+(?::|$)|repository(?:_id)?:[^*:]+(?::|$))/,
  },
  ids: ["repository_owner_id", "repository_id"],
  example: '"repository_owner_id": "65"',
};

const GITLAB: IssuerKind = {
  name: "GitLab",
  has: (issuer) => issuer === "https://gitlab.com",
  owners: {
    namespace_id: /^[0-9]+$/,
    project_id: /^[0-9]+$/,
    namespace_path: /^[^*/]+(?:\/|$)/,
    project_path: PATH,
    sub: /^project_path:[^*/:]+\//,
  },
  ids: ["namespace_id", "project_id"],
  example: '"namespace_id": "65"',
};

const BUILDKITE: IssuerKind = {
  name: "Buildkite",
  has: (issuer) => issuer === "https://agent.buildkite.com",
  owners: {
    organization_id: ID,
    pipeline_id: ID,
    organization_slug: NAME,
    sub: /^organization:[^*:]+:/,
  },
  example: '"organization_slug": "acme"',
};

const GOOGLE: IssuerKind = {
  name: "Google",
  has: (issuer) => issuer === "https://accounts.google.com",
  owners: { sub: /^[0-9]+$/ },
  example: '"sub": "104…", the id of a service account',
};

const OWN: readonly IssuerKind[] = [
  {
    name: "CircleCI",
    has: (issuer) => /^https:\/\/oidc\.circleci\.com\/org\/[0-9a-f-]+$/.test(issuer),
    owners: {},
    isOwn: true,
    example: '"oidc.circleci.com/project-id": "…"',
  },
  {
    name: "Azure Pipelines",
    has: (issuer) => /^https:\/\/vstoken\.dev\.azure\.com\/[0-9a-f-]+$/.test(issuer),
    owners: {},
    isOwn: true,
    example: '"sub": "sc://acme/project/connection"',
  },
];

/** An issuer of one's own, such as a GitLab or a cluster. Whether others use it, too, is not known. */
const OTHER: IssuerKind = {
  name: "this issuer",
  has: () => true,
  owners: {
    ...GITHUB.owners,
    ...GITLAB.owners,
    ...BUILDKITE.owners,
    "/kubernetes.io/namespace": NAME,
    sub: /^(?:repo:[^*/:]+\/|project_path:[^*/:]+\/|organization:[^*:]+:|system:serviceaccount:[^*:]+:)/,
  },
  example: '"sub": "system:serviceaccount:ci:waymark"',
};

const KINDS = [GITHUB, GITLAB, BUILDKITE, GOOGLE, ...OWN, OTHER];

export function issuerKind(issuer: string): IssuerKind {
  return KINDS.find((kind) => kind.has(issuer)) ?? OTHER;
}

/** Claims whose value the author of a workflow chooses, or that many owners share. */
const CHOSEN =
  /^(?:aud|iss|exp|iat|nbf|jti|azp|typ|ref(?:_.*)?|base_ref|head_ref|branch|build_.*|event_name|environment(?:_.*)?|workflow(?:_.*)?|job_workflow_.*|step_key|actor(?:_.*)?|user_.*|runner_.*|.*_visibility|pipeline_source|pipeline_slug|ci_config_.*)$/;

/**
 * Returns the part of a pattern that names the owner of workloads; undefined if it names none. A value of this owner is equal to it, or
 * begins with it if it ends with a separator.
 */
export function ownerPart(issuer: string, claim: string, pattern: string): string | undefined {
  const kind = issuerKind(issuer);
  const named = kind.owners[claim]?.exec(pattern)?.[0];
  if (named !== undefined) return named;
  if (pattern.includes("*") || CHOSEN.test(claim)) return undefined;
  // One exact value is enough for an issuer of one's own. `sub` of another form than the known ones is the issuer's own.
  const isOthers = kind.owners !== OTHER.owners && kind.isOwn !== true;
  return isOthers ? undefined : pattern;
}

/** True if a claim's value is of the owner that `ownerPart` has found in a pattern. */
export function isOfOwner(value: string, part: string): boolean {
  return value === part || (/[/:]$/.test(part) && value.startsWith(part));
}
