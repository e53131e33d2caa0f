import path from "node:path";
import { root } from "../../scripts/bootstrap/checkout.mjs";

/** A CPU profile as V8 writes it. */
export interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string }; children?: number[] }[];
  samples?: number[];
}

interface Frame {
  name: string;
  samples: number;
  children: Map<string, Frame>;
}

const WIDTH = 1200;
const ROW = 15;
/** Narrower frames are left out: nobody could read them. */
const NARROWEST_SHARE = 0.004;

/** Draws where a process spent its processor time: the wider, the longer; callers below what they call. */
export function drawFlameGraph(profile: CpuProfile, title: string): string {
  const tree = mergeFrames(profile);
  const boxes: string[] = [];
  const depth = drawFrame(tree, { boxes, total: tree.samples, left: 0, level: 0 });
  const height = (depth + 2) * ROW;
  const placed = boxes.map((box) =>
    box.replaceAll(/\{y(\d+)\}/g, (_, level) => String(height - (Number(level) + 1) * ROW)),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="monospace" font-size="10">`,
    `<text x="4" y="11" font-size="12">${escape(title)}</text>`,
    ...placed,
    "</svg>\n",
  ].join("\n");
}

/** Adds up equal stacks. Idle time is not part of it. */
function mergeFrames({ nodes, samples = [] }: CpuProfile): Frame {
  const parents = new Map<number, number>();
  const byId = new Map(nodes.map((node) => [node.id, node]));
  for (const node of nodes) for (const child of node.children ?? []) parents.set(child, node.id);
  const tree = newFrame("all");
  for (const sample of samples) {
    const names: string[] = [];
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) {
      const node = byId.get(id);
      if (node !== undefined && node.callFrame.functionName !== "(root)")
        names.unshift(nameOf(node.callFrame));
    }
    if (names[0] === "(idle)" || names[0] === "(program)") continue;
    addStack(tree, names);
  }
  return tree;
}

function addStack(tree: Frame, names: readonly string[]): void {
  let frame = tree;
  frame.samples++;
  for (const name of names) {
    let child = frame.children.get(name);
    if (child === undefined) frame.children.set(name, (child = newFrame(name)));
    child.samples++;
    frame = child;
  }
}

function newFrame(name: string): Frame {
  return { name, samples: 0, children: new Map() };
}

function nameOf({ functionName, url }: { functionName: string; url: string }): string {
  const name = functionName === "" ? "(anonymous)" : functionName;
  const file = url.startsWith("file://") ? path.relative(root, decodeURI(url.slice(7))) : url;
  const place = /node_modules\/((?:@[^/]+\/)?[^/]+)(?!.*node_modules)/.exec(file)?.[1] ?? file;
  return place === "" ? name : `${name} ${place}`;
}

interface Drawing {
  boxes: string[];
  total: number;
  left: number;
  level: number;
}

/** @returns how many levels there are from this one on */
function drawFrame(frame: Frame, { boxes, total, left, level }: Drawing): number {
  const width = (frame.samples / total) * WIDTH;
  const percent = ((frame.samples / total) * 100).toFixed(1);
  const letters = Math.floor(width / 6.2);
  const label =
    letters < 4
      ? ""
      : `<text x="${(left + 2).toFixed(1)}" y="{y${level}}" dy="11">${escape(frame.name.slice(0, letters))}</text>`;
  boxes.push(
    `<g><title>${escape(frame.name)} ${percent} %</title><rect x="${left.toFixed(1)}" y="{y${level}}" ` +
      `width="${width.toFixed(1)}" height="${ROW - 1}" fill="${colorOf(frame.name)}"/>${label}</g>`,
  );
  let deepest = level;
  let at = left;
  for (const child of [...frame.children.values()].toSorted((a, b) => b.samples - a.samples)) {
    if (child.samples / total >= NARROWEST_SHARE) {
      deepest = Math.max(deepest, drawFrame(child, { boxes, total, left: at, level: level + 1 }));
    }
    at += (child.samples / total) * WIDTH;
  }
  return deepest;
}

/** Ours, the libraries', and what Node and V8 do themselves. */
function colorOf(name: string): string {
  if (/ (services|packages)\//.test(name)) return "#ffb347";
  if (/ node:|\(garbage collector\)|^[^ ]+$/.test(name)) return "#c9d6df";
  return "#f7dc8a";
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
