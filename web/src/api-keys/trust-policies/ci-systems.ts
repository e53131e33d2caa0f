import { quoteShell } from "../../lib/quote-shell.ts";
import {
  CIRCLECI_PARAMETER,
  GITHUB_EXPRESSION,
  KUBERNETES_VARIABLE,
  VARIABLE,
  withoutReplaced,
  yamlValue,
} from "../../lib/yaml-value.ts";

/** The addresses that a build needs. */
interface BuildAddresses {
  /** The address of the server. */
  apiUrl: string;
  /** The audience of the token. */
  audience: string;
}

/** A claim of a CI system's tokens, explained for the form of a policy. */
interface Claim {
  /** The name of the claim in the token. */
  name: string;
  label: string;
  description: string;
  placeholder: string;
}

/** A kind of CI system whose builds a policy can trust, with the claims that its conditions use most. */
interface CiSystem {
  label: string;
  issuer: {
    /** The issuer, if all organizations have the same one; else empty. */
    value: string;
    description: string;
    placeholder: string;
  };
  /** Says which condition names the owner. */
  advice: string;
  claims: readonly Claim[];
  /** The lines by which a build gets its token. */
  snippet: (addresses: BuildAddresses) => readonly string[];
}

const BRANCH_SCANS =
  "Leave empty for all: a scan of another branch than the default one does not become current.";

const GITHUB: CiSystem = {
  label: "GitHub Actions",
  issuer: {
    value: "https://token.actions.githubusercontent.com",
    description: "GitHub Enterprise Server: https://HOSTNAME/_services/token.",
    placeholder: "https://token.actions.githubusercontent.com",
  },
  advice:
    "GitHub signs the tokens of all its users, so a condition must name you. Use the owner's id: somebody else can take a name after you rename or delete your account.",
  claims: [
    {
      name: "repository_owner_id",
      label: "Owner's id",
      description:
        "The organization or user whose workflows get keys. This prints it: gh api orgs/NAME --jq .id",
      placeholder: "65",
    },
    {
      name: "repository",
      label: "Repositories",
      description: "Owner and name. * stands for any characters. Leave empty for all of the owner.",
      placeholder: "acme/payments, or acme/*",
    },
    {
      name: "ref",
      label: "Branches and tags",
      description: BRANCH_SCANS,
      placeholder: "refs/heads/main",
    },
    {
      name: "environment",
      label: "Environments",
      description: "Only jobs with this environment of GitHub, whose rules say who may deploy.",
      placeholder: "production",
    },
  ],
  snippet: ({ apiUrl, audience }) => [
    "permissions: { id-token: write, contents: read }",
    "env:",
    `  SERVICE_API_URL: ${yamlValue(apiUrl, GITHUB_EXPRESSION)}`,
    ...(audience === apiUrl ? [] : [`  WAYMARK_AUDIENCE: ${yamlValue(audience, GITHUB_EXPRESSION)}`]),
    "steps:",
    "  - uses: actions/checkout@v5",
    "  - run: waymark scan --service orders --spec openapi.yaml --lint",
  ],
};

const GITLAB: CiSystem = {
  label: "GitLab",
  issuer: {
    value: "https://gitlab.com",
    description: "Your own GitLab: its address, such as https://gitlab.example.com.",
    placeholder: "https://gitlab.com",
  },
  advice:
    "gitlab.com signs the tokens of all its users, so a condition must name you. Use the group's id: somebody else can take a path after you rename or delete the group.",
  claims: [
    {
      name: "namespace_id",
      label: "Group's id",
      description:
        "The group that has the project directly; a subgroup has an id of its own. Its page shows it.",
      placeholder: "72",
    },
    {
      name: "project_path",
      label: "Projects",
      description: "The complete path. * stands for any characters. Leave empty for all of the group.",
      placeholder: "acme/payments, or acme/*",
    },
    {
      name: "ref_path",
      label: "Branches and tags",
      description: BRANCH_SCANS,
      placeholder: "refs/heads/main",
    },
    {
      name: "ref_protected",
      label: "Protected branches only",
      description: "With true, only builds of protected branches and tags get keys.",
      placeholder: "true",
    },
  ],
  snippet: ({ apiUrl, audience }) => [
    "scan:",
    `  variables: { SERVICE_API_URL: { value: ${yamlValue(apiUrl)}, expand: false } }`,
    `  id_tokens: { WAYMARK_ID_TOKEN: { aud: ${yamlValue(audience, VARIABLE)} } }`,
    "  script:",
    "    - waymark scan --service orders --spec openapi.yaml --lint",
  ],
};

const BUILDKITE: CiSystem = {
  label: "Buildkite",
  issuer: {
    value: "https://agent.buildkite.com",
    description: "All organizations of Buildkite have this one.",
    placeholder: "https://agent.buildkite.com",
  },
  advice: "Buildkite signs the tokens of all its organizations, so a condition must name yours.",
  claims: [
    {
      name: "organization_slug",
      label: "Organization",
      description: "The name in the addresses of your pipelines: https://buildkite.com/NAME.",
      placeholder: "acme",
    },
    {
      name: "pipeline_slug",
      label: "Pipelines",
      description: "The name in the pipeline's address. Leave empty for all pipelines of the organization.",
      placeholder: "payments",
    },
    {
      name: "build_branch",
      label: "Branches",
      description: BRANCH_SCANS,
      placeholder: "main",
    },
  ],
  snippet: ({ apiUrl, audience }) => [
    "steps:",
    "  - env:",
    `      SERVICE_API_URL: ${yamlValue(apiUrl, VARIABLE)}`,
    `      WAYMARK_AUDIENCE: ${yamlValue(audience, VARIABLE)}`,
    "    command: |",
    '      export WAYMARK_ID_TOKEN="$$(buildkite-agent oidc request-token --audience "$$WAYMARK_AUDIENCE" --claim organization_id,pipeline_id)"',
    "      waymark scan --service orders --spec openapi.yaml --lint",
  ],
};

const CIRCLECI: CiSystem = {
  label: "CircleCI",
  issuer: {
    value: "",
    description: "It has your organization's id, which Organization Settings → Overview shows.",
    placeholder: "https://oidc.circleci.com/org/ORGANIZATION_ID",
  },
  advice:
    "The issuer is yours alone: its address names your organization. A condition says which projects get keys.",
  claims: [
    {
      name: "oidc.circleci.com/project-id",
      label: "Projects' ids",
      description: "Project Settings → Overview shows the id.",
      placeholder: "1c3a9b62-7f0e-4a58-9d7c-2f6b1e8d4a90",
    },
    {
      name: "oidc.circleci.com/vcs-ref",
      label: "Branches and tags",
      description: BRANCH_SCANS,
      placeholder: "refs/heads/main",
    },
  ],
  snippet: ({ apiUrl, audience }) => [
    "- run:",
    `    environment: { SERVICE_API_URL: ${yamlValue(apiUrl, CIRCLECI_PARAMETER)} }`,
    "    command: |",
    `      export WAYMARK_ID_TOKEN="$(circleci run oidc get --claims ${withoutReplaced(quoteShell(JSON.stringify({ aud: audience })), CIRCLECI_PARAMETER)})"`,
    "      waymark scan --service orders --spec openapi.yaml --lint",
  ],
};

const KUBERNETES: CiSystem = {
  label: "Kubernetes",
  issuer: {
    value: "",
    description:
      "This prints it: kubectl get --raw /.well-known/openid-configuration. Waymark must reach it.",
    placeholder: "https://oidc.cluster.example.com",
  },
  advice:
    "Every pod of the cluster can get a token, so a condition must name the service account or its namespace.",
  claims: [
    {
      name: "sub",
      label: "Service accounts",
      description: "system:serviceaccount:, the namespace and the name of the service account.",
      placeholder: "system:serviceaccount:ci:waymark",
    },
    {
      name: "/kubernetes.io/namespace",
      label: "Namespaces",
      description: "Instead of service accounts: all service accounts of a namespace.",
      placeholder: "ci",
    },
  ],
  snippet: ({ apiUrl, audience }) => [
    "volumes:",
    "  - name: waymark",
    "    projected:",
    `      { sources: [{ serviceAccountToken: { path: token, audience: ${yamlValue(audience)} } }] }`,
    "# In the container:",
    "volumeMounts: [{ name: waymark, mountPath: /var/run/waymark }]",
    "env:",
    `  - { name: SERVICE_API_URL, value: ${yamlValue(apiUrl, KUBERNETES_VARIABLE)} }`,
    "  - { name: WAYMARK_ID_TOKEN_FILE, value: /var/run/waymark/token }",
  ],
};

const OTHER: CiSystem = {
  label: "Other",
  issuer: {
    value: "",
    description: "The claim iss of its tokens. Waymark reads ISSUER/.well-known/openid-configuration.",
    placeholder: "https://issuer.example.com",
  },
  advice: "At least one condition must name you with an exact value, because others may use the issuer, too.",
  claims: [
    {
      name: "sub",
      label: "Subjects",
      description: "The claim sub. Many systems write the owner and the project into it.",
      placeholder: "sc://acme/payments/connection",
    },
  ],
  snippet: ({ apiUrl, audience }) => [
    `# TOKEN is a token of the build for the audience ${yamlValue(audience)}.`,
    `export SERVICE_API_URL=${quoteShell(apiUrl)} WAYMARK_ID_TOKEN="$TOKEN"`,
    "waymark scan --service orders --spec openapi.yaml --lint",
  ],
};

/** The CI systems to choose from. */
export const CI_SYSTEMS = {
  github: GITHUB,
  gitlab: GITLAB,
  buildkite: BUILDKITE,
  circleci: CIRCLECI,
  kubernetes: KUBERNETES,
  other: OTHER,
} as const;
export type CiSystemId = keyof typeof CI_SYSTEMS;

export function isCiSystem(id: string): id is CiSystemId {
  return Object.hasOwn(CI_SYSTEMS, id);
}

/** Returns the CI system that a policy is for, from its issuer and the claims of its conditions. */
export function ciSystemOf(issuer: string, claims: readonly string[]): CiSystemId {
  if (/githubusercontent\.com|\.ghe\.com|\/_services\/token$/.test(issuer)) return "github";
  if (issuer.startsWith("https://oidc.circleci.com/")) return "circleci";
  const fixed = Object.entries(CI_SYSTEMS).find(([, { issuer: known }]) => known.value === issuer)?.[0];
  if (fixed !== undefined && isCiSystem(fixed)) return fixed;
  if (claims.some((claim) => /^(?:namespace|project)_/.test(claim))) return "gitlab";
  return claims.includes("/kubernetes.io/namespace") ? "kubernetes" : "other";
}
