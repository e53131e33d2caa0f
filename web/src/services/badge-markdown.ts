/**
 * Returns the badge as Markdown that links to the service's page. The name is untrusted text, so characters with a
 * meaning in Markdown or HTML are escaped.
 */
export function markdownOf(badge: { badge: string; serviceName: string; page: string }): string {
  const name = badge.serviceName
    .replaceAll(/[\r\n]+/g, " ")
    .replaceAll(/[\\`*_{}[\]()<>#+!|&~]/g, (character) => `\\${character}`);
  const { origin, pathname } = new URL(badge.page);
  return `[![API contract of ${name}](${badge.badge})](${origin}${pathname})`;
}
