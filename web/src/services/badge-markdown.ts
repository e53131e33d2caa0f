/**
 * The badge as Markdown, which leads to the service's page. The name is untrusted text: what Markdown or HTML could read as more
 * is escaped.
 */
export function markdownOf(badge: { badge: string; serviceName: string; page: string }): string {
  const name = badge.serviceName
    .replaceAll(/[\r\n]+/g, " ")
    .replaceAll(/[\\`*_{}[\]()<>#+!|&~]/g, (character) => `\\${character}`);
  const { origin, pathname } = new URL(badge.page);
  return `[![API contract of ${name}](${badge.badge})](${origin}${pathname})`;
}
