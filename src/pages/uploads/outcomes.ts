/** What the rows of an upload, or the links of a change, became: the counts, and a table. */
import { html } from "hono/html";
import { badge, facts, type Tone } from "../elements.ts";
import { table } from "../lists/table.ts";
import { showCount, showList, showPlural } from "../locale.ts";
import type { Markup } from "../markup.ts";
import type { Outcome } from "./rows.ts";

type State = Outcome["state"];

interface StateText {
  word: string;
  color: Tone;
  /** Before the number of rows with this state. */
  meaning?: string;
}

/** The words of a surface for its rows. */
export interface OutcomeTexts {
  /** The singular and the plural of what a row is. */
  noun: [string, string];
  /** The heading of the column with the name of a row. */
  name: string;
  states: Record<State, StateText>;
  /** The same of rows that change something. */
  changes?: Partial<Record<State, StateText>>;
}

/** How a name is shown, and a text of details. */
export interface ShowOutcome {
  name: (outcome: Outcome) => Markup;
  detail?: (text: string) => Markup;
}

export const countOf = (outcomes: Outcome[], state: State) =>
  outcomes.filter((one) => one.state === state).length;
export const countChanges = (outcomes: Outcome[], state: State) =>
  outcomes.filter((one) => one.state === state && one.isChange).length;
export const countText = ({ noun: [one, many] }: OutcomeTexts, count: number) => showPlural(count, one, many);

const createdBy = (outcomes: Outcome[], state: State) =>
  outcomes.filter((one) => one.state === state && !one.isChange);
const keysOf = (rows: Outcome[]) => [...new Set(rows.flatMap(({ creates = [] }) => creates))];

/** How many things rows with this state create. */
export function countItems(outcomes: Outcome[], state: State): number {
  const rows = createdBy(outcomes, state);
  return keysOf(rows).length + rows.filter(({ creates }) => creates === undefined).length;
}

/** `224 links (200 creatives, 20 ad groups and 4 campaigns)`. */
function itemsText(texts: OutcomeTexts, outcomes: Outcome[], state: State): string {
  const kinds = Map.groupBy(keysOf(createdBy(outcomes, state)), (key) => key.split(":", 1)[0] ?? "");
  const most = [...kinds].sort(([, one], [, other]) => other.length - one.length);
  const parts = showList(most.map(([kind, keys]) => showPlural(keys.length, kind)));
  return `${countText(texts, countItems(outcomes, state))}${kinds.size > 0 ? ` (${parts})` : ""}`;
}

/** What each state counts, and then the marks of the rows. */
export function counts(texts: OutcomeTexts, outcomes: Outcome[], states: State[]): Markup {
  const marks = Map.groupBy(
    outcomes.flatMap(({ marks = [] }) => marks),
    (mark) => mark,
  );
  return facts(
    ...states.flatMap((state): ([string, string] | false)[] => {
      const changes = countChanges(outcomes, state);
      const change = texts.changes?.[state]?.meaning;
      return [
        [texts.states[state].meaning ?? "", itemsText(texts, outcomes, state)],
        change !== undefined && changes > 0 && [change, countText(texts, changes)],
      ];
    }),
    ...[...marks].map(([mark, rows]): [string, string] => [mark, showPlural(rows.length, "row", "rows")]),
  );
}

/** More rows than this that were rejected for the same reason are one row of the table. */
const MOST_ALIKE = 3;
const MOST_LINES = 200;

/**
 * The rows of the table with their numbers: those that were rejected first, then those to look at. Links without a number are not
 * joined.
 */
function toLines(outcomes: Outcome[]): (Outcome & { row: string; more?: string })[] {
  const rank = ({ state, marks }: Outcome) => (state === "rejected" ? 0 : marks?.length ? 1 : 2);
  const sorted = outcomes.toSorted((left, right) => rank(left) - rank(right));
  const alike = Map.groupBy(sorted, (one) => (one.state === "rejected" && one.number > 0 ? one.detail : one));
  return [...alike.values()].flatMap((rows) => {
    const [first] = rows;
    if (!first || rows.length <= MOST_ALIKE) return rows.map((one) => ({ ...one, row: String(one.number) }));
    const numbers = rows.slice(0, MOST_ALIKE).map(({ number }) => number);
    const more = (shown: number) => ` and ${showCount(rows.length - shown)} more`;
    return { ...first, row: numbers.join(", ") + more(MOST_ALIKE), more: more(1) };
  });
}

export function outcomeTable(
  texts: OutcomeTexts,
  outcomes: Outcome[],
  { name, detail: showDetail = (text) => html`${text}` }: ShowOutcome,
): Markup {
  const lines = toLines(outcomes);
  const more = lines.length - MOST_LINES;
  const stateOf = ({ state, isChange }: Outcome) =>
    (isChange && texts.changes?.[state]) || texts.states[state];
  return html`
    ${table({
      label: "Rows",
      hasHeading: true,
      columns: [
        outcomes.some(({ number }) => number > 0) && { heading: "Row", cell: ({ row }) => row },
        { heading: texts.name, cell: (one) => html`${name(one)}${one.more ?? ""}` },
        { heading: "Result", cell: (one) => badge(stateOf(one).word, stateOf(one).color) },
        {
          heading: "Details",
          cell: ({ marks = [], detail }) =>
            html`${marks.map((mark) => html`${badge(mark, "warn")} `)}${showDetail(detail)}`,
        },
      ],
      rows: lines.slice(0, MOST_LINES),
    })}
    ${more > 0 ? html`<p class="muted">And ${showCount(more)} more.</p>` : ""}`;
}
