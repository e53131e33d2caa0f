interface SnippetOptions {
  apiUrl: string;
  /** The service to scan, if the key is limited to one. */
  service?: string | undefined;
}

/** CI jobs that submit a scan. They never contain the key: the CI system stores it as a secret. */
// oxlint-disable-next-line max-lines-per-function -- the text of the jobs
export function ciSnippets({ apiUrl, service = "my-service" }: SnippetOptions) {
  // The package's URL, not its name: the public registry may have an unrelated package of that name.
  const packed =
    "WAYMARK_PACKAGE: https://packages.example.com/waymark-1.2.3.tgz # where you keep the packed command";
  // Installs outside the checkout, because a pull request can change its .npmrc and node_modules. Needs no key.
  const install = (folder: string) =>
    `cd "${folder}" && npm install --ignore-scripts --no-save --prefix waymark "$WAYMARK_PACKAGE"`;
  // Service names are untrusted: a name that a shell or YAML could interpret is passed as a variable.
  const isPlain = /^[\w@/][\w.@/-]*$/.test(service);
  const scan = `waymark scan ${isPlain ? `--service ${service}` : '--service="$WAYMARK_SERVICE"'} --spec openapi.yaml`;
  return {
    github: {
      label: "GitHub Actions",
      where:
        "Add it as the repository secret WAYMARK_API_KEY, and this job to a workflow on push or pull_request, never on pull_request_target:",
      text: [
        "waymark:",
        "  runs-on: ubuntu-latest",
        "  steps:",
        "    - uses: actions/checkout@v4",
        "    - name: Install waymark",
        "      run: |",
        `        ${install("$RUNNER_TEMP")}`,
        '        echo "$RUNNER_TEMP/waymark/node_modules/.bin" >> "$GITHUB_PATH"',
        "      env:",
        `        ${packed}`,
        "    - name: Submit the API scan to Waymark",
        `      run: ${scan}`,
        "      env:",
        ...(isPlain ? [] : [`        WAYMARK_SERVICE: ${literal(quote(service))}`]),
        `        SERVICE_API_URL: ${literal(quote(apiUrl))}`,
        "        SERVICE_API_KEY: ${{ secrets.WAYMARK_API_KEY }}",
      ].join("\n"),
    },
    gitlab: {
      label: "GitLab CI",
      where:
        "Add it as the masked and protected CI/CD variable WAYMARK_API_KEY, and this job to .gitlab-ci.yml:",
      text: [
        "waymark:",
        "  image: node:24-slim",
        "  variables:",
        `    ${packed}`,
        ...(isPlain ? [] : [`    WAYMARK_SERVICE: { value: ${quote(service)}, expand: false }`]),
        `    SERVICE_API_URL: { value: ${quote(apiUrl)}, expand: false }`,
        "  script:",
        `    - (${install("/tmp")})`,
        "    - export PATH=/tmp/waymark/node_modules/.bin:$PATH",
        '    - export SERVICE_API_KEY="$WAYMARK_API_KEY"',
        `    - ${scan}`,
      ].join("\n"),
    },
  };
}

/** A double-quoted YAML scalar on one line, in JSON syntax. Invisible characters are escaped, such as `\u009b`. */
function quote(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (character) => String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Escapes `${{`, so that GitHub doesn't evaluate the text as an expression. */
function literal(text: string): string {
  return text.replaceAll("${{", "${{ '${{' }}");
}
