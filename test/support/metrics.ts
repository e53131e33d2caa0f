interface Scrape {
  text: string;
  /** The value of a sample, by its name and labels in the text. */
  value: (sample: string) => number | undefined;
}

/** The text of a process's `/metrics`. */
export async function scrape(port: number): Promise<Scrape> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`/metrics answered ${response.status}: ${text}`);
  return {
    text,
    value(sample) {
      const line = text.split("\n").find((candidate) => candidate.startsWith(`${sample} `));
      return line === undefined ? undefined : Number(line.slice(sample.length + 1));
    },
  };
}

/** The metrics that a text declares. */
export function metricNames(text: string): string[] {
  return [...text.matchAll(/^# TYPE (\S+) /gm)].map((match) => match[1] ?? "");
}
