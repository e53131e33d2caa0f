export interface ReportCache {
  get(key: string): Buffer | undefined;
  /** Keeps the report, unless it is larger than a quarter of the cache, and returns it. */
  add(key: string, report: Buffer): Buffer;
}

/** Keeps the reports that were asked for last, up to so many bytes. */
export function createReportCache(bytesMax: number): ReportCache {
  // A Map keeps insertion order, which is the order of use here.
  const reports = new Map<string, Buffer>();
  let bytes = 0;

  function remove(key: string): void {
    bytes -= reports.get(key)?.length ?? 0;
    reports.delete(key);
  }

  return {
    get(key) {
      const report = reports.get(key);
      if (report === undefined) return undefined;
      reports.delete(key);
      reports.set(key, report);
      return report;
    },
    add(key, report) {
      if (report.length > bytesMax / 4) return report;
      remove(key);
      reports.set(key, report);
      bytes += report.length;
      for (const oldest of reports.keys()) {
        if (bytes <= bytesMax) break;
        remove(oldest);
      }
      return report;
    },
  };
}
