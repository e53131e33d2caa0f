import { getOwnApiKey } from "@waymark/shared/api-keys/addresses.ts";
import type { PackedCommand } from "./packed-command.ts";
import { quoteShell } from "./quote-shell.ts";
import { GITHUB_EXPRESSION, yamlValue } from "./yaml-value.ts";

interface SnippetOptions {
  apiUrl: string;
  /** The service to scan, if the key is limited to one. */
  service?: string | undefined;
  /** The packed command that the server has; without it, the jobs say where it goes. */
  packed?: PackedCommand | undefined;
}

/** Jobs that submit a scan, and a request that checks the key. They never contain the key: the CI system stores it as a secret, the shell in a variable. */
export function ciSnippets({ apiUrl, service = "my-service", packed }: SnippetOptions) {
  // Service names are untrusted: a name that a shell or YAML could interpret is passed as a variable.
  const isPlain = /^[\w@/][\w.@/-]*$/.test(service);
  const option = isPlain ? `--service ${service}` : '--service="$WAYMARK_SERVICE"';
  const job = {
    apiUrl,
    service: isPlain ? undefined : service,
    scan: `waymark scan ${option} --spec openapi.yaml --lint`,
    packed,
  };
  return {
    github: {
      label: "GitHub Actions",
      where:
        "Add the key as the repository secret WAYMARK_API_KEY, and this job to a workflow on push or pull_request, never on pull_request_target:",
      text: githubJob(job).join("\n"),
    },
    gitlab: {
      label: "GitLab CI",
      where:
        "Add the key as the masked and protected CI/CD variable WAYMARK_API_KEY, and this job to .gitlab-ci.yml:",
      text: gitlabJob(job).join("\n"),
    },
    curl: {
      label: "curl",
      where:
        "Set the variable WAYMARK_API_KEY to the key, and check it. The response says what the key may do:",
      text: curlCommand(apiUrl).join("\n"),
    },
  };
}

/** Without `service`, the command has the service's name. */
interface Job {
  apiUrl: string;
  service: string | undefined;
  scan: string;
  packed: PackedCommand | undefined;
}

function githubJob({ apiUrl, service, scan, packed }: Job): string[] {
  return [
    "waymark:",
    "  runs-on: ubuntu-latest",
    "  steps:",
    "    - uses: actions/checkout@v4",
    "    - name: Install waymark",
    "      run: |",
    `        ${install("$RUNNER_TEMP", packed)}`,
    '        echo "$RUNNER_TEMP/waymark/node_modules/.bin" >> "$GITHUB_PATH"',
    "      env:",
    ...packageVariables(packed).map((line) => `        ${line}`),
    "    - name: Submit the API scan to Waymark",
    `      run: ${scan}`,
    "      env:",
    ...(service === undefined ? [] : [`        WAYMARK_SERVICE: ${yamlValue(service, GITHUB_EXPRESSION)}`]),
    `        SERVICE_API_URL: ${yamlValue(apiUrl, GITHUB_EXPRESSION)}`,
    "        SERVICE_API_KEY: ${{ secrets.WAYMARK_API_KEY }}",
  ];
}

function gitlabJob({ apiUrl, service, scan, packed }: Job): string[] {
  return [
    "waymark:",
    "  image: node:24-slim",
    "  variables:",
    ...packageVariables(packed).map((line) => `    ${line}`),
    ...(service === undefined
      ? []
      : [`    WAYMARK_SERVICE: { value: ${yamlValue(service)}, expand: false }`]),
    `    SERVICE_API_URL: { value: ${yamlValue(apiUrl)}, expand: false }`,
    "  script:",
    `    - (${install("/tmp", packed)})`,
    "    - export PATH=/tmp/waymark/node_modules/.bin:$PATH",
    '    - export SERVICE_API_KEY="$WAYMARK_API_KEY"',
    `    - ${scan}`,
  ];
}

/** A request that stores nothing: a scan by hand would leave a service behind, or replace what a real one offers. */
function curlCommand(apiUrl: string): string[] {
  return [
    `curl ${quoteShell(`${apiUrl}${getOwnApiKey.path}`)} \\`,
    `  --header "Authorization: Bearer $WAYMARK_API_KEY"`,
  ];
}

/** The package's address, not its name: the public registry may have an unrelated package of that name. */
function packageVariables(packed: PackedCommand | undefined): string[] {
  if (packed === undefined)
    return [
      "WAYMARK_PACKAGE: https://packages.example.com/waymark-1.2.3.tgz # where you keep the packed command",
    ];
  return [`WAYMARK_PACKAGE: ${yamlValue(packed.url, GITHUB_EXPRESSION)}`, `WAYMARK_SHA256: ${packed.sha256}`];
}

/** Installs outside the checkout, because a pull request can change its .npmrc and node_modules. Needs no key. */
function install(folder: string, packed: PackedCommand | undefined): string {
  const npm = "npm install --ignore-scripts --no-save --prefix waymark";
  if (packed === undefined) return `cd "${folder}" && ${npm} "$WAYMARK_PACKAGE"`;
  const { name } = packed;
  // `npm pack` downloads the file as it is, also in images without curl.
  const download = `npm pack --silent --ignore-scripts "$WAYMARK_PACKAGE" && echo "$WAYMARK_SHA256  ${name}" | sha256sum --check`;
  return `cd "${folder}" && ${download} && ${npm} "$PWD/${name}"`;
}
