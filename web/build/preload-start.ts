import type { HtmlTagDescriptor, Plugin, Rolldown } from "vite";

/**
 * Adds preloads of the modules that every page needs to the page, so that they load beside the script that imports
 * them.
 */
export function preloadStart(): Plugin {
  return {
    name: "preload-start",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: (html, { bundle = {} }) => tagsOf(filesOfStart(bundle).filter((name) => !html.includes(name))),
    },
  };
}

function filesOfStart(bundle: Rolldown.OutputBundle): string[] {
  const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
  const start = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith("/app/start.tsx"));
  if (start === undefined) throw new Error("app/start.tsx has no chunk");
  const names = new Set([start.fileName]);
  for (const name of names) {
    const chunk = chunks.find(({ fileName }) => fileName === name);
    for (const imported of chunk?.imports ?? [])
      if (chunks.some(({ fileName, isEntry }) => fileName === imported && !isEntry)) names.add(imported);
    for (const style of chunk?.viteMetadata?.importedCss ?? []) names.add(style);
  }
  return [...names];
}

function tagsOf(names: readonly string[]): HtmlTagDescriptor[] {
  return names.map((name) => ({
    tag: "link",
    injectTo: "head",
    attrs: {
      rel: name.endsWith(".css") ? "stylesheet" : "modulepreload",
      href: `/${name}`,
      crossorigin: true,
    },
  }));
}
