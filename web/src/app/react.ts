// The module that the console and its libraries import as "react": Preact, which has a sixth of React's bytes
// (docs/adr/0037), and the parts of React 19 that Preact lacks.
import { type ComponentChildren, options, type VNode } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { showInvisible } from "@waymark/shared/lib/invisible.ts";

// @ts-expect-error -- its types are written for CommonJS, its module has named exports
export * from "preact/compat";
// oxlint-disable-next-line import/no-default-export -- libraries import React as a whole
export { default } from "preact/compat";

/** Returns its children. It never has to hide them, because the console mounts only visible tabs, menus and parts. */
export function Activity({ children }: { children?: ComponentChildren }) {
  return children;
}

/** The value, one painting later. Preact has no rendering in the background. */
export function useDeferredValue<T>(value: T): T {
  const [deferred, setDeferred] = useState(value);
  useEffect(() => setDeferred(() => value), [value]);
  return deferred;
}

const OWN_TITLE = document.title;

/** A `title` anywhere on a page names the document as long as it is shown. */
function DocumentTitle({ children }: { children?: unknown }) {
  const title = showInvisible([children].flat().join(""));
  useLayoutEffect(() => {
    document.title = title;
    return () => {
      document.title = OWN_TITLE;
    };
  }, [title]);
  return null;
}

/** The attributes that are shown or read out. Values of fields are not changed, because users edit them. */
const READ = ["title", "aria-label", "aria-description", "alt", "placeholder", "label"] as const;

/**
 * Makes invisible characters visible in an element. Preact calls it for every text of a page, so no text can mislead.
 */
function showInvisibleIn(vnode: VNode): void {
  // A text is a node without a type, and its own props.
  const node: { type: unknown; props: unknown } = vnode;
  if (typeof node.props === "string") node.props = showInvisible(node.props);
  if (typeof node.type !== "string") return;
  const props: Record<string, unknown> = vnode.props;
  for (const name of READ) {
    const text = props[name];
    if (typeof text === "string") props[name] = showInvisible(text);
  }
}

const before = options.vnode?.bind(options);
options.vnode = (vnode: VNode) => {
  showInvisibleIn(vnode);
  if (vnode.type === "title") vnode.type = DocumentTitle;
  before?.(vnode);
};
