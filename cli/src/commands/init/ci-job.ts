import { existsSync } from "node:fs";
import path from "node:path";
import type { Checkout } from "../../ci/checkout.ts";

/** The systems that a job can be written for. */
export const CI_SYSTEMS = ["github", "gitlab"] as const;
export type CiSystem = (typeof CI_SYSTEMS)[number];

const GITLAB_FILE = ".gitlab-ci.yml";

/** A file with a job, and what is left to do for it. */
export interface CiJob {
  file: string;
  text: string;
  steps: string[];
}

/** Returns the CI system of a repository: that of its files, else that of its origin; undefined for any other. */
export function detectCi(root: string, origin: string | undefined): CiSystem | undefined {
  if (existsSync(path.join(root, ".github"))) return "github";
  if (existsSync(path.join(root, GITLAB_FILE))) return "gitlab";
  const host = /^(?:[a-z+]+:\/\/)?(?:[^@/]*@)?([^/:]+)/i.exec(origin ?? "")?.[1] ?? "";
  return CI_SYSTEMS.find((system) => host.toLowerCase().includes(system));
}

interface JobOptions {
  root: string;
  apiUrl: string | undefined;
  checkout: Checkout | undefined;
}

/** Returns the job of a system. It has no stored key, and installs the command outside of the checkout. */
export function ciJob(system: CiSystem, options: JobOptions): CiJob {
  return system === "github" ? githubJob(options) : gitlabJob(options);
}

const INSTALL =
  'npm install --ignore-scripts --no-save --no-audit --no-fund --prefix waymark "$SERVICE_API_URL/downloads/waymark.tgz"';

function githubJob({ apiUrl, checkout }: JobOptions): CiJob {
  const branch = checkout?.defaultBranch;
  const lines = [
    "# Scans the API descriptions that waymark.yaml names. No key is stored: the job exchanges its identity for one.",
    "name: Waymark",
    "on:",
    ...(branch === undefined ? ["  push:"] : ["  push:", `    branches: [${JSON.stringify(branch)}]`]),
    "  pull_request:",
    "jobs:",
    "  scan:",
    "    # A pull request from a fork gets no identity.",
    "    if: github.event.pull_request.head.repo.fork != true",
    "    runs-on: ubuntu-latest",
    "    permissions:",
    "      id-token: write",
    "      contents: read",
    "    env:",
    `      SERVICE_API_URL: ${apiUrl === undefined ? "${{ vars.WAYMARK_URL }}" : JSON.stringify(apiUrl)}`,
    "    steps:",
    "      - uses: actions/checkout@v5",
    "      # Without the identity, and outside of the checkout, whose .npmrc a pull request can change.",
    "      - name: Install waymark",
    "        run: |",
    "          unset ACTIONS_ID_TOKEN_REQUEST_URL ACTIONS_ID_TOKEN_REQUEST_TOKEN",
    '          cd "$RUNNER_TEMP"',
    `          ${INSTALL}`,
    "      - name: Scan",
    `        run: '"$RUNNER_TEMP/waymark/node_modules/.bin/waymark" scan'`,
    "",
  ];
  return {
    file: ".github/workflows/waymark.yml",
    text: lines.join("\n"),
    steps: [
      ...(apiUrl === undefined
        ? [
            "Set the variable WAYMARK_URL of the repository or the organization to the address of the server, without a slash at its end.",
          ]
        : []),
      "Create a trust policy for the repository or its owner, once: the console has it under Trust policies.",
    ],
  };
}

function gitlabJob({ root, apiUrl }: JobOptions): CiJob {
  const isNew = !existsSync(path.join(root, GITLAB_FILE));
  const file = isNew ? GITLAB_FILE : ".gitlab/waymark.yml";
  const lines = [
    "# Scans the API descriptions that waymark.yaml names. No key is stored: the job exchanges its identity for one.",
    "waymark:",
    "  image: node:24-slim",
    "  rules:",
    '    - if: $CI_PIPELINE_SOURCE == "merge_request_event"',
    "    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH",
    ...(apiUrl === undefined
      ? []
      : ["  variables:", `    SERVICE_API_URL: { value: ${JSON.stringify(apiUrl)}, expand: false }`]),
    "  id_tokens:",
    "    WAYMARK_ID_TOKEN: { aud: $SERVICE_API_URL }",
    "  script:",
    "    # Without the identity, and outside of the checkout, whose .npmrc a merge request can change.",
    `    - (unset WAYMARK_ID_TOKEN; cd /tmp && ${INSTALL})`,
    "    - /tmp/waymark/node_modules/.bin/waymark scan",
    "",
  ];
  return {
    file,
    text: lines.join("\n"),
    steps: [
      ...(isNew ? [] : [`Add to ${GITLAB_FILE}: include: { local: ${file} }`]),
      ...(apiUrl === undefined
        ? [
            "Set the CI/CD variable SERVICE_API_URL of the project or the group to the address of the server, without a slash at its end.",
          ]
        : []),
      "Create a trust policy for the project or its group, once: the console has it under Trust policies.",
    ],
  };
}
