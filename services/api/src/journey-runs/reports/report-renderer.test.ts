import { afterEach, expect, it, vi } from "vitest";
import { createReportRenderer, type ReportRendererOptions, type WantedReport } from "./report-renderer.ts";

const step = (index: number) => ({
  id: `step${index}`,
  status: "passed",
  ms: 1,
  phase: "main",
  assertions: [],
  attempts: [],
  operation: { method: "get", path: "/things" },
  position: { file: "a.yaml", line: index, column: 1 },
  evidence: { request: { headers: {}, body: "x".repeat(1_000) } },
});
const resultOf = (steps: number) =>
  JSON.stringify({
    status: "passed",
    journey: { title: "J" },
    steps: Array.from({ length: steps }, (_, i) => step(i)),
  });

let open: Disposable[] = [];
afterEach(() => {
  for (const renderer of open) renderer[Symbol.dispose]();
  open = [];
});

/** Its limit of time is long, for busy machines. */
function startRenderer(options?: ReportRendererOptions) {
  const renderer = createReportRenderer({ limits: { ms: 60_000, memoryMiB: 256 }, ...options });
  open.push(renderer);
  return renderer;
}

const wanted = (resultKey: string, more: Partial<WantedReport> = {}): WantedReport => ({
  organizationId: "o",
  resultKey,
  format: "json",
  read: async () => resultOf(1),
  ...more,
});

it("other work of the process goes on while a report is rendered", async () => {
  const result = resultOf(2_000);
  const renderer = startRenderer();
  await renderer.render(wanted("starts the process"));
  let turns = 0;
  let isRendered = false;
  const turn = () => {
    turns++;
    if (!isRendered) setImmediate(turn);
  };
  setImmediate(turn);
  const report = await renderer.render(wanted("large", { read: async () => result }));
  isRendered = true;
  expect(JSON.parse(report.toString())).toEqual(JSON.parse(result));
  // Rendered in this process, it is one turn.
  expect(turns).toBeGreaterThan(20);
});

it("a result is rendered once in a format, also for requests at the same time", async () => {
  const renderer = startRenderer();
  const read = vi.fn<() => Promise<string>>(async () => resultOf(2));
  const reports = await Promise.all([
    renderer.render(wanted("r", { read })),
    renderer.render(wanted("r", { read })),
  ]);
  expect(await renderer.render(wanted("r", { read }))).toBe(reports[0]);
  expect(reports[1]).toBe(reports[0]);
  expect(read).toHaveBeenCalledOnce();
  await renderer.render(wanted("r", { read, organizationId: "p" }));
  await renderer.render(wanted("r2", { read }));
  expect(read).toHaveBeenCalledTimes(3);
});

it("the cache keeps the reports that were asked for last, within its bytes", async () => {
  const size = (await startRenderer().render(wanted("size"))).length;
  const renderer = startRenderer({ cacheBytesMax: size * 4 });
  const read = vi.fn<() => Promise<string>>(async () => resultOf(1));
  for (const key of ["1", "2", "3", "4", "1", "5", "1", "2"]) await renderer.render(wanted(key, { read }));
  // 5 took the place of 2.
  expect(read).toHaveBeenCalledTimes(6);
});

it.each<[string, { ms: number; memoryMiB: number }]>([
  ["time", { ms: 1, memoryMiB: 256 }],
  ["memory", { ms: 60_000, memoryMiB: 16 }],
])(
  "a report that takes too much %s is refused, and the next one gets another process",
  async (_what, limits) => {
    const renderer = startRenderer({ limits });
    for (const key of ["1", "2"]) {
      await expect(renderer.render(wanted(key, { read: async () => resultOf(6_000) }))).rejects.toMatchObject(
        {
          code: "service_unavailable",
        },
      );
    }
  },
);

it("a result that can't be rendered fails alone", async () => {
  const renderer = startRenderer();
  await expect(renderer.render(wanted("bad", { read: async () => "{" }))).rejects.toThrow("SyntaxError");
  await renderer.render(wanted("good"));
});

it("an organization with many reports is refused more, and lets others in between", async () => {
  const renderer = startRenderer();
  const order: string[] = [];
  const render = async (resultKey: string, organizationId: string) => {
    await renderer.render(wanted(resultKey, { organizationId }));
    order.push(organizationId);
  };
  const many = Array.from({ length: 20 }, (_, index) => render(String(index), "o"));
  const other = render("x", "p");
  const outcomes = await Promise.allSettled([...many, other]);
  expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(11);
  expect(outcomes.at(-1)?.status).toBe("fulfilled");
  expect(order.indexOf("p")).toBe(1);
});
