import { Text } from "@mantine/core";
import type { KeyboardEvent } from "react";
import { countOf } from "../../lib/count-of.ts";
import { LOCALE } from "../../lib/locale.ts";
import { type ChangeLevel, CHANGE_LEVELS } from "./change-cards.ts";
import type { TagOfChanges } from "./change-tags.ts";
import classes from "./tag-list.module.css";

const COUNTED: Readonly<Record<ChangeLevel, { short: string; words: string }>> = {
  breaking: { short: "breaks", words: "breaking" },
  maybe: { short: "maybe", words: "maybe breaking" },
  safe: { short: "safe", words: "safe" },
  documentation: { short: "docs", words: "of documentation" },
};

const NEIGHBOURS: Readonly<Record<string, 1 | -1>> = { ArrowDown: 1, ArrowUp: -1 };

/**
 * The changes by tag. The chosen tag is the one whose cards are shown; the arrow keys choose the next and the previous one.
 *
 * @param props.chosen empty for all
 */
export function TagList(props: {
  tags: readonly TagOfChanges[];
  all: Record<ChangeLevel, number>;
  chosen: string;
  onChoose: (tag: string) => void;
}) {
  const { tags, all, chosen, onChoose } = props;
  const entries = [{ tag: "", counts: all }, ...tags];
  const levels = CHANGE_LEVELS.filter((level) => all[level] > 0);
  const columns = { gridTemplateColumns: `minmax(0, 1fr) repeat(${levels.length}, 2.3rem)` };
  return (
    <>
      <div className={classes["head"]} style={columns} aria-hidden>
        <span />
        {levels.map((level) => (
          <span key={level} data-level={level}>
            {COUNTED[level].short}
          </span>
        ))}
      </div>
      <ul className={classes["tags"]} onKeyDown={moveFocus}>
        {entries.map(({ tag, counts }) => (
          <li key={tag}>
            <button
              type="button"
              className={classes["tag"]}
              style={columns}
              aria-pressed={tag === chosen}
              onClick={() => onChoose(tag)}
            >
              <span className={classes["name"]}>{tag === "" ? "All changes" : tag}</span>
              <Counts counts={counts} levels={levels} />
            </button>
          </li>
        ))}
      </ul>
      <Text size="xs" c="dimmed" mt={6} className={classes["keys"] ?? ""}>
        ↑ ↓ choose a tag, j and k go through the cards.
      </Text>
    </>
  );
}

function Counts(props: { counts: Record<ChangeLevel, number>; levels: readonly ChangeLevel[] }) {
  const { counts, levels } = props;
  return (
    <>
      {levels.map((level) => (
        <span key={level} className={classes["count"]} data-level={level}>
          {counts[level] > 0 && (
            <>
              <span aria-hidden>{counts[level].toLocaleString(LOCALE)}</span>
              <span className="visually-hidden">
                , {countOf(counts[level], "changes")} {COUNTED[level].words}
              </span>
            </>
          )}
        </span>
      ))}
    </>
  );
}

/** Goes to the tag above or below, and chooses it. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const by = NEIGHBOURS[event.key];
  if (by === undefined) return;
  const buttons = [...event.currentTarget.querySelectorAll("button")];
  const next = buttons[buttons.findIndex((one) => one === document.activeElement) + by];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
  next.click();
}
