/** The style of the report. It is part of the file, because reports are opened from disks and mails. */
export const STYLE = `
:root { color-scheme: light dark; --line: #d5d9df; --soft: #f5f6f8; --text: #1a1d21; --dim: #5c6570; --page: #fff;
  --good: #15693b; --bad: #b3261e; --wait: #7a5b00; }
@media (prefers-color-scheme: dark) { :root { --line: #343a42; --soft: #1d2126; --text: #e7eaee; --dim: #9aa4b0; --page: #14171a;
  --good: #5fd08f; --bad: #ff8a80; --wait: #e3c04b; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 70rem; padding: 1.5rem; font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; } h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
.dim { color: var(--dim); } code, pre { font: 13px/1.45 ui-monospace, Menlo, Consolas, monospace; }
pre { margin: .4rem 0; padding: .6rem; background: var(--soft); border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere; }
table { width: 100%; border-collapse: collapse; } th, td { text-align: left; vertical-align: top; padding: .35rem .5rem; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
th { color: var(--dim); font-weight: 600; } details { border: 1px solid var(--line); border-radius: 8px; margin: .5rem 0; padding: 0 .8rem; }
summary { cursor: pointer; padding: .55rem 0; } details[open] { padding-bottom: .6rem; }
.status { font-weight: 600; } .passed, .proven { color: var(--good); } .failed, .error, .timedOut, .aborted { color: var(--bad); }
.skipped, .notRun, .unproven, .none { color: var(--wait); }
`;
