/** Who uses an app, and what is kept for its pages. */
import { users } from "./accounts.ts";
import { apps } from "./apps.ts";
import { foreignKey, index, integer, primaryKey, reference, sqliteTable, text } from "./columns.ts";

export const memberships = sqliteTable(
  "memberships",
  {
    userId: reference(() => users.id),
    appToken: text()
      .notNull()
      .references(() => apps.token),
  },
  (table) => [primaryKey({ columns: [table.userId, table.appToken] })],
);

/** Saved views of the Performance page. The views of a user end with the membership. */
export const views = sqliteTable(
  "views",
  {
    id: integer().primaryKey(),
    appToken: text()
      .notNull()
      .references(() => apps.token),
    /** Null: the members of the app share it. */
    userId: integer(),
    name: text().notNull(),
    /** The parameters of the page. */
    query: text().notNull(),
  },
  (table) => [
    index("views_by_app").on(table.appToken, table.userId),
    foreignKey({
      columns: [table.userId, table.appToken],
      foreignColumns: [memberships.userId, memberships.appToken],
    }).onDelete("cascade"),
  ],
);

/** Items that "Needs attention" of an app does not show for a while. */
export const hiddenAttention = sqliteTable(
  "hidden_attention",
  {
    appToken: text()
      .notNull()
      .references(() => apps.token),
    /** Which kind of item, and of which partner. */
    key: text().notNull(),
    hiddenUntil: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.appToken, table.key] })],
);
