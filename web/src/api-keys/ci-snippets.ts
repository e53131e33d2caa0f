interface SnippetOptions {
  apiUrl: string;
  /** The service to scan, where the key is for one alone. */
  service?: string | undefined;
}

/** Jobs that scan from a pipeline. The key itself is never in them: it is a secret of the pipeline. */
export function ciSnippets({ apiUrl, service = "my-service" }: SnippetOptions) {
  // By the address of its package: a name alone would run whoever has that name in the public registry.
  const packed =
    "WAYMARK_PACKAGE: https://packages.example.com/waymark-0.1.0.tgz # where you keep the packed command";
  // As a YAML and a shell string at once: the name is anybody's.
  const scan = `npx --yes --package "$WAYMARK_PACKAGE" waymark scan --service ${quote(service)} --spec openapi.yaml`;
  return {
    github: {
      label: "GitHub Actions",
      where: "Add it as the repository secret WAYMARK_API_KEY, and this job to a workflow:",
      text: [
        "waymark:",
        "  runs-on: ubuntu-latest",
        "  steps:",
        "    - uses: actions/checkout@v4",
        "    - name: Submit the API scan to Waymark",
        "      run: |",
        `        ${scan}`,
        "      env:",
        `        ${packed}`,
        `        SERVICE_API_URL: ${apiUrl}`,
        "        SERVICE_API_KEY: ${{ secrets.WAYMARK_API_KEY }}",
      ].join("\n"),
    },
    gitlab: {
      label: "GitLab CI",
      where: "Add it as the masked CI/CD variable WAYMARK_API_KEY, and this job to .gitlab-ci.yml:",
      text: [
        "waymark:",
        "  image: node:24-slim",
        "  variables:",
        `    ${packed}`,
        `    SERVICE_API_URL: ${apiUrl}`,
        "  script:",
        '    - export SERVICE_API_KEY="$WAYMARK_API_KEY"',
        "    - |",
        `      ${scan}`,
      ].join("\n"),
    },
  };
}

function quote(text: string): string {
  return /^[\w.@/-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
