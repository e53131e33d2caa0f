const CHARACTER = { width: 8.4, height: 19 };
const MARGIN = 20;
const COLUMNS = 100;

/** The styles that the command's escape sequences mean; see `cli/src/commands/journey/run/style.ts`. */
const STYLES: Readonly<Record<string, Readonly<Style>>> = {
  "1": { weight: "bold" },
  "2": { fill: "#8b949e" },
  "22": { weight: undefined, fill: undefined },
  "31": { fill: "#ff7b72" },
  "32": { fill: "#7ee787" },
  "39": { fill: undefined },
};

interface Style {
  weight?: string | undefined;
  fill?: string | undefined;
}

/** A picture of a terminal with this output. @param title what a screen reader says */
export function terminalSvg(output: string, title: string): string {
  const lines = output.replaceAll("\r\n", "\n").trimEnd().split("\n").map(lastState).flatMap(wrapped);
  const width = Math.ceil(COLUMNS * CHARACTER.width + 2 * MARGIN);
  const height = lines.length * CHARACTER.height + 2 * MARGIN;
  let style: Style = {};
  const rows = lines.map((line, index) => {
    const y = MARGIN + (index + 0.75) * CHARACTER.height;
    const drawn = styledText(line, style);
    style = drawn.style;
    return `<text x="${MARGIN}" y="${y}">${drawn.text}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="100%" height="100%" rx="8" fill="#0d1117"/>`,
    `<g fill="#e6edf3" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14">`,
    ...rows,
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

/** Returns the text that a line shows in the end: the command writes some lines several times. */
function lastState(line: string): string {
  return line.split("\r\u001b[2K").at(-1) ?? "";
}

/** A line as a terminal breaks it, in the middle of words. Styles take no room, and go on in the next line. */
function wrapped(line: string): string[] {
  const lines = [""];
  let column = 0;
  for (const [part] of line.matchAll(/\u001b\[\d+m|./gsu)) {
    const isStyle = part.startsWith("\u001b");
    if (!isStyle && column === COLUMNS) {
      lines.push("");
      column = 0;
    }
    if (!isStyle) column++;
    lines[lines.length - 1] += part;
  }
  return lines;
}

function styledText(line: string, start: Style): { text: string; style: Style } {
  let style = start;
  const texts = line.split(/\u001b\[(\d+)m/).map((part, index) => {
    if (index % 2 === 0) return part === "" ? "" : span(part, style);
    const change = STYLES[part];
    if (change === undefined) throw new Error(`the command printed a style that is unknown here: ${part}`);
    style = { ...style, ...change };
    return "";
  });
  return { text: texts.join(""), style };
}

function span(text: string, { weight, fill }: Style): string {
  const attributes = [
    ...(weight === undefined ? [] : [`font-weight="${weight}"`]),
    ...(fill === undefined ? [] : [`fill="${fill}"`]),
  ];
  // Programs that show SVG join several spaces into one.
  const shown = escaped(text).replaceAll(" ", "\u00a0");
  return attributes.length === 0 ? shown : `<tspan ${attributes.join(" ")}>${shown}</tspan>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
