// `resourceConstraints.serviceNames`: exact names, or globs with one `*` at the end, such as `payments-*`.

/** Whether a service's name matches the list. Anything but a list of names matches nothing. */
export function matchesServiceNames(wanted: unknown, serviceName: string | undefined): boolean {
  if (serviceName === undefined || !Array.isArray(wanted)) return false;
  return wanted.some((pattern: unknown) => {
    const parsed = parsePattern(pattern);
    if (parsed === undefined) return false;
    return parsed.isGlob ? serviceName.startsWith(parsed.start) : serviceName === parsed.start;
  });
}

/** Whether `outer` matches every name that `inner` matches. */
export function areServiceNamesWithin(inner: unknown, outer: unknown): boolean {
  if (!Array.isArray(inner) || !Array.isArray(outer)) return false;
  const around = outer.flatMap((pattern: unknown) => parsePattern(pattern) ?? []);
  return inner.every((pattern: unknown) => {
    const parsed = parsePattern(pattern);
    // An unknown entry matches nothing now and can't be granted: a later version may give it a meaning.
    if (parsed === undefined) return false;
    return around.some((other) =>
      other.isGlob ? parsed.start.startsWith(other.start) : !parsed.isGlob && parsed.start === other.start,
    );
  });
}

/** Returns a list that matches the names that both lists match. */
export function intersectServiceNames(one: unknown, other: unknown): string[] {
  if (!Array.isArray(one) || !Array.isArray(other)) return [];
  const common = one.flatMap((first: unknown) =>
    other.flatMap((second: unknown) => {
      if (areServiceNamesWithin([first], [second])) return [String(first)];
      return areServiceNamesWithin([second], [first]) ? [String(second)] : [];
    }),
  );
  return [...new Set(common)];
}

function parsePattern(pattern: unknown): { start: string; isGlob: boolean } | undefined {
  if (typeof pattern !== "string") return undefined;
  const star = pattern.indexOf("*");
  if (star === -1) return { start: pattern, isGlob: false };
  return star === pattern.length - 1 ? { start: pattern.slice(0, -1), isGlob: true } : undefined;
}
