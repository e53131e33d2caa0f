import type { Attr, Node } from "@xmldom/xmldom";
import { countNode, VISITS_MAX } from "./visits.ts";

/** How an XPath expression reads a document: each step from node to node counts as a visit. */
export function countingDom(): object {
  const visits = { left: VISITS_MAX };
  const visit = <T>(found: T): T => {
    countNode(visits);
    return found;
  };
  return {
    getAllAttributes: (node: Node) => visit(attributesOf(node)),
    getAttribute: (node: Node, name: string) =>
      visit(attributesOf(node).find((attribute) => attribute.name === name)?.value ?? null),
    getChildNodes: (node: Node) => visit([...childrenOf(node)]),
    getData: (node: Node) => visit(node.nodeValue ?? ""),
    getFirstChild: (node: Node) => visit(node.firstChild),
    getLastChild: (node: Node) => visit(node.lastChild),
    getNextSibling: (node: Node) => visit(node.nextSibling),
    getParentNode: (node: Node) => visit(node.parentNode),
    getPreviousSibling: (node: Node) => visit(node.previousSibling),
  };
}

function* childrenOf(node: Node): Generator<Node> {
  for (let child = node.firstChild; child !== null; child = child.nextSibling) yield child;
}

function attributesOf(node: Node): Attr[] {
  const found: Attr[] = [];
  const attributes = "attributes" in node ? node.attributes : undefined;
  if (!isAttributeMap(attributes)) return found;
  for (let at = 0; at < attributes.length; at++) {
    const attribute = attributes.item(at);
    if (attribute !== null) found.push(attribute);
  }
  return found;
}

function isAttributeMap(value: unknown): value is { length: number; item: (at: number) => Attr | null } {
  return typeof value === "object" && value !== null && "item" in value;
}
