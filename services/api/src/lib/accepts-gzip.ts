/** Whether an Accept-Encoding header allows gzip (RFC 9110, 12.5.3). Without the header, nothing is compressed. */
export function acceptsGzip(header: string | undefined): boolean {
  const weights = new Map((header ?? "").toLowerCase().split(",").map(weightOf));
  return (weights.get("gzip") ?? weights.get("*") ?? 0) > 0;
}

function weightOf(item: string): [coding: string, weight: number] {
  const [coding = "", ...parameters] = item.split(";").map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith("q="));
  return [coding, weight === undefined ? 1 : Number(weight.slice(2))];
}
