/** The operations of the operator API, for the OpenAPI document. */
import * as z from "zod/mini";
import type { ErrorCode } from "../../errors.ts";
import type { Contract } from "../../http/input.ts";
import type { Operation } from "../../http/operation.ts";
import { itemsV1, listV1 } from "../../http/response-schemas.ts";
import { round, roundWithReport } from "../../usecases/rounds/schemas.ts";
import * as contract from "../contract.ts";
import * as resources from "../resources.ts";

const operation = (
  id: string,
  summary: string,
  input: Contract,
  responses: Operation["responses"],
  errors: ErrorCode[] = [],
): Operation => ({ id, summary, credentials: "operator_token", input, responses, errors });

const page = (item: z.ZodMiniType) => ({ 200: { description: "One page of items", schema: listV1(item) } });
const item = (schema: z.ZodMiniType, description = "The current item") => ({
  200: { description, schema: itemsV1(schema) },
});
const created = (schema: z.ZodMiniType) => ({
  201: { description: "Created", schema: itemsV1(schema), headers: ["Location"] },
});

const opened = z.strictObject({
  ...roundWithReport.shape,
  test_credential: z.string().with(z.describe("Returned only in this response")),
});

export const listApps = operation("listApps", "List apps", contract.list, page(resources.app));
export const createApp = operation("createApp", "Create an app", contract.createApp, created(resources.app));
export const readApp = operation("readApp", "Get an app", contract.readApp, item(resources.app), [
  "not_found",
]);
export const updateApp = operation(
  "updateApp",
  "Update an app and its destinations",
  contract.updateApp,
  item(resources.app),
  ["not_found"],
);
export const listMembers = operation(
  "listMembers",
  "List the members of an app",
  contract.listMembers,
  page(resources.member),
  ["not_found"],
);
export const addMember = operation(
  "addMember",
  "Add a member to an app",
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
  "Remove a member from an app",
  contract.removeMember,
  item(z.strictObject({ app_token: z.string(), user_id: z.int() }), "Removed"),
  ["not_found"],
);

export const listUsers = operation("listUsers", "List users", contract.list, page(resources.user));
export const createUser = operation(
  "createUser",
  "Create a user with a temporary password or for single sign-on",
  contract.createUser,
  created(resources.user),
  ["email_taken"],
);
export const readUser = operation("readUser", "Get a user", contract.readOne, item(resources.user), [
  "not_found",
]);
export const updateUser = operation(
  "updateUser",
  "Update a user: change the role or sign-in method, disable or enable",
  contract.updateUser,
  item(resources.user),
  ["not_found", "last_operator"],
);
export const resetPassword = operation(
  "resetPassword",
  "Reset a user's password to a temporary password",
  contract.readOne,
  item(resources.user, "The user with the password"),
  ["not_found"],
);
export const issueToken = operation(
  "issueToken",
  "Replace a user's API token",
  contract.readOne,
  item(resources.user, "The user with the token"),
  ["not_found", "user_disabled"],
);

export const listPartnerRecords = operation(
  "listPartnerRecords",
  "List partners with their templates",
  contract.list,
  page(resources.partner),
);
export const createPartner = operation(
  "createPartner",
  "Create a partner",
  contract.createPartner,
  created(resources.partner),
);
export const readPartner = operation(
  "readPartner",
  "Get a partner",
  contract.readOne,
  item(resources.partner),
  ["not_found"],
);
export const updatePartner = operation(
  "updatePartner",
  "Update a partner's name and templates, and stop or resume its costs",
  contract.updatePartner,
  item(resources.partner),
  ["not_found", "round_required"],
);

export const listCredentials = operation(
  "listCredentials",
  "List cost credentials",
  contract.listOfPartner,
  page(resources.credential),
);
export const createCredential = operation(
  "createCredential",
  "Create a cost credential",
  contract.createCredential,
  created(resources.credential),
  ["round_required"],
);
export const revokeCredential = operation(
  "revokeCredential",
  "Revoke a cost credential immediately",
  contract.readOne,
  item(resources.credential),
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
  "Open an integration round and create its test credential",
  contract.openRound,
  created(opened),
  ["round_open"],
);
export const readRound = operation(
  "readRoundReport",
  "Get a round with its report",
  contract.readOne,
  item(roundWithReport),
  ["not_found"],
);
export const listEntries = operation(
  "listRoundEntries",
  "List the entries of a round",
  contract.listEntries,
  page(resources.entry),
  ["not_found"],
);
export const approveRound = operation(
  "approveRound",
  "Approve a round and make its cost types live",
  contract.readOne,
  item(roundWithReport, "Approved"),
  ["not_found", "round_ended", "mismatch_open", "round_moved"],
);
export const closeRound = operation(
  "closeRound",
  "Close a round without approval",
  contract.readOne,
  item(roundWithReport, "Closed"),
  ["not_found", "round_ended", "round_moved"],
);
export const dismissFinding = operation(
  "dismissFinding",
  "Dismiss an open mismatch",
  contract.dismissFinding,
  item(roundWithReport),
  ["not_found", "round_ended"],
);

export const listAudit = operation(
  "listAudit",
  "List audit log entries",
  contract.list,
  page(resources.auditEntry),
);
