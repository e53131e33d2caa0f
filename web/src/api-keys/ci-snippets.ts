/** Steps that scan from a pipeline. The key itself is never in them: it is a secret of the pipeline. */
export function ciSnippets(apiUrl: string): Record<"github" | "gitlab", { label: string; text: string }> {
  return {
    github: {
      label: "GitHub Actions",
      text: [
        "- name: Submit the API scan to Waymark",
        "  run: npx waymark scan --service my-service --spec openapi.yaml",
        "  env:",
        `    SERVICE_API_URL: ${apiUrl}`,
        "    SERVICE_API_KEY: ${{ secrets.WAYMARK_API_KEY }}",
      ].join("\n"),
    },
    gitlab: {
      label: "GitLab CI",
      text: [
        "waymark-scan:",
        "  image: node:24",
        "  variables:",
        `    SERVICE_API_URL: ${apiUrl}`,
        "  script:",
        "    - export SERVICE_API_KEY=$WAYMARK_API_KEY",
        "    - npx waymark scan --service my-service --spec openapi.yaml",
      ].join("\n"),
    },
  };
}
