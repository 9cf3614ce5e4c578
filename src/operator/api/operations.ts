/** What the operations of the operator interface promise. */
import * as z from "zod/mini";
import type { ErrorCode } from "../../errors.ts";
import type { Contract } from "../../http/input.ts";
import type { Operation } from "../../http/operation.ts";
import { itemsV1, listV1 } from "../../http/response-schemas.ts";
import { round, roundWithReport } from "../../usecases/rounds/schemas.ts";
import * as contract from "../contract.ts";
import * as answers from "../resources.ts";

const operation = (
  id: string,
  summary: string,
  input: Contract,
  answer: Operation["answers"],
  errorCodes: ErrorCode[] = [],
): Operation => ({ id, summary, credentials: "operator_token", input, answers: answer, errorCodes });

const page = (item: z.ZodMiniType) => ({ 200: { description: "A page", schema: listV1(item) } });
const item = (schema: z.ZodMiniType, description = "As it is now") => ({
  200: { description, schema: itemsV1(schema) },
});
const created = (schema: z.ZodMiniType) => ({
  201: { description: "Made", schema: itemsV1(schema), headers: ["Location"] },
});

const opened = z.strictObject({
  ...roundWithReport.shape,
  test_credential: z.string().with(z.describe("Shown this once")),
});

export const listApps = operation("listApps", "List every app", contract.list, page(answers.app));
export const createApp = operation("createApp", "Make an app", contract.createApp, created(answers.app));
export const readApp = operation("readApp", "Read an app", contract.readApp, item(answers.app), [
  "not_found",
]);
export const updateApp = operation(
  "updateApp",
  "Change an app and where its links lead",
  contract.updateApp,
  item(answers.app),
  ["not_found"],
);
export const listMembers = operation(
  "listMembers",
  "List who may see an app",
  contract.listMembers,
  page(answers.member),
  ["not_found"],
);
export const addMember = operation(
  "addMember",
  "Let a user see an app",
  contract.addMember,
  {
    201: {
      description: "Added",
      schema: itemsV1(z.strictObject({ app_token: z.string(), user_id: z.int() })),
    },
  },
  ["not_found", "already_member"],
);
export const removeMember = operation(
  "removeMember",
  "Take an app from a user",
  contract.removeMember,
  item(z.strictObject({ app_token: z.string(), user_id: z.int() }), "Removed"),
  ["not_found"],
);

export const listUsers = operation("listUsers", "List every user", contract.list, page(answers.user));
export const createUser = operation(
  "createUser",
  "Make a user, with a temporary password or for single sign-on",
  contract.createUser,
  created(answers.user),
  ["email_taken"],
);
export const readUser = operation("readUser", "Read a user", contract.readOne, item(answers.user), [
  "not_found",
]);
export const updateUser = operation(
  "updateUser",
  "Change role or sign-in, disable or enable",
  contract.updateUser,
  item(answers.user),
  ["not_found", "last_operator"],
);
export const resetPassword = operation(
  "resetPassword",
  "Give a user a new temporary password",
  contract.readOne,
  item(answers.user, "With the password"),
  ["not_found"],
);
export const issueToken = operation(
  "issueToken",
  "Give a user a new API token, in place of the old one",
  contract.readOne,
  item(answers.user, "With the token"),
  ["not_found", "user_disabled"],
);

export const listPartnerRecords = operation(
  "listPartnerRecords",
  "List every partner with its templates",
  contract.list,
  page(answers.partner),
);
export const createPartner = operation(
  "createPartner",
  "Make a partner",
  contract.createPartner,
  created(answers.partner),
);
export const readPartner = operation(
  "readPartner",
  "Read a partner",
  contract.readOne,
  item(answers.partner),
  ["not_found"],
);
export const updatePartner = operation(
  "updatePartner",
  "Change a partner's name and templates, and whether its costs are taken",
  contract.updatePartner,
  item(answers.partner),
  ["not_found", "round_required"],
);

export const listCredentials = operation(
  "listCredentials",
  "List credentials by their hints",
  contract.listOfPartner,
  page(answers.credential),
);
export const createCredential = operation(
  "createCredential",
  "Issue a cost credential",
  contract.createCredential,
  created(answers.credential),
  ["round_required"],
);
export const revokeCredential = operation(
  "revokeCredential",
  "Revoke a cost credential: it is dead at once",
  contract.readOne,
  item(answers.credential),
  ["not_found"],
);

export const listRounds = operation(
  "listRounds",
  "List integration rounds",
  contract.listOfPartner,
  page(round),
);
export const openRound = operation(
  "openRound",
  "Open an integration round, with its test credential",
  contract.openRound,
  created(opened),
  ["round_open"],
);
export const readRound = operation(
  "readRoundReport",
  "Read a round with its report",
  contract.readOne,
  item(roundWithReport),
  ["not_found"],
);
export const listEntries = operation(
  "listRoundEntries",
  "List what a round kept",
  contract.listEntries,
  page(answers.entry),
  ["not_found"],
);
export const approveRound = operation(
  "approveRound",
  "Make the cost types of a round live",
  contract.readOne,
  item(roundWithReport, "Approved"),
  ["not_found", "round_ended", "mismatch_open", "round_moved"],
);
export const closeRound = operation(
  "closeRound",
  "End a round without making anything live",
  contract.readOne,
  item(roundWithReport, "Closed"),
  ["not_found", "round_ended", "round_moved"],
);
export const dismissFinding = operation(
  "dismissFinding",
  "Let an open mismatch pass",
  contract.dismissFinding,
  item(roundWithReport),
  ["not_found", "round_ended"],
);

export const listAudit = operation(
  "listAudit",
  "List what operators changed",
  contract.list,
  page(answers.auditEntry),
);
