/** Tests `npm run migrations:new` with drizzle-kit, from end to end. */
import { testCommand } from "../migrations-command.ts";

testCommand(() => process.env);
