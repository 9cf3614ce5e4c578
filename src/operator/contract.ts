/** What the requests of the operator interface must look like. */
import * as z from "zod";
import { COST_TYPES } from "../cost-types.ts";
import { appToken, email, pageQuery, textField } from "../http/fields.ts";

const MAX_TEMPLATE_BYTES = 4 * 1024;
const MAX_LIST_ITEMS = 100;
const NEVER_A_SCHEME = new Set(["javascript", "data", "vbscript", "file", "blob", "about"]);

const number = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, "must be a positive integer")
  .transform(Number);
const byId = z.object({ id: number });

const name = z.string().trim().pipe(textField(1, 255));

/** Absolute, http or https; given on as a browser writes it, which a header can carry. */
const webUrl = textField(1, 2048).transform((value, context) => {
  const url = URL.parse(value);
  const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
  if (!url || !isWeb || !/^https?:\/\//i.test(value)) {
    context.addIssue("must be an absolute http or https URL");
    return z.NEVER;
  }
  return url.href;
});

/** A host name as it stands in a URL, with a port where it is not the usual one. */
const host = textField(1, 260).transform((value, context) => {
  const url = /[/?#@\\\s]/.test(value) ? null : URL.parse(`https://${value}`);
  if (!url) {
    context.addIssue("must be a host name, for instance shop.example.com");
    return z.NEVER;
  }
  return url.host;
});

const scheme = textField(1, 64)
  .transform((value) => value.toLowerCase())
  .refine((value) => /^[a-z][a-z0-9+.-]*$/.test(value), "must be a URL scheme without the colon")
  .refine((value) => !NEVER_A_SCHEME.has(value), "is a scheme that runs or reads what is not the app's");

const listOf = <T extends z.ZodType>(item: T) =>
  z.array(item).max(MAX_LIST_ITEMS, `must hold at most ${MAX_LIST_ITEMS} items`);

const appFields = {
  name,
  default_url: webUrl,
  ios_url: webUrl.nullable(),
  android_url: webUrl.nullable(),
  redirect_hosts: listOf(host),
  redirect_schemes: listOf(scheme),
};

/** At least one of the fields is there. */
const change = <T extends z.ZodRawShape>(shape: T) =>
  z.strictObject(shape).refine((body) => Object.values(body).some((value) => value !== undefined), {
    message: `must name at least one of ${Object.keys(shape).join(", ")}`,
  });

export const list = { query: pageQuery };
export const listOfPartner = { query: pageQuery.extend({ partner_id: number.optional() }) };
export const readOne = { path: byId };

const appPath = z.object({ token: appToken });
export const createApp = {
  body: z.strictObject({
    ...appFields,
    ios_url: appFields.ios_url.default(null),
    android_url: appFields.android_url.default(null),
    redirect_hosts: appFields.redirect_hosts.default([]),
    redirect_schemes: appFields.redirect_schemes.default([]),
  }),
};
export const readApp = { path: appPath };
export const updateApp = { path: appPath, body: change(z.object(appFields).partial().shape) };

export const listMembers = { path: appPath, query: pageQuery };
export const addMember = { path: appPath, body: z.strictObject({ user_id: z.int().positive() }) };
export const removeMember = { path: appPath.extend({ user_id: number }) };

const role = z.enum(["member", "operator"], { error: "must be member or operator" });
export const createUser = {
  body: z.strictObject({
    email,
    role: role.default("member"),
    sign_in: z.enum(["password", "sso"], { error: "must be password or sso" }).default("password"),
  }),
};
export const updateUser = {
  path: byId,
  body: change({
    role: role.optional(),
    disabled: z.boolean().optional(),
    sign_in: z
      .literal("sso", { error: "can only become sso here; a new password makes it password" })
      .optional(),
  }),
};

/** Kept byte for byte: macros are no URL. */
const template = z.string().check((context) => {
  const refuse = (message: string) => context.issues.push({ code: "custom", message, input: context.value });
  const bytes = new TextEncoder().encode(context.value).byteLength;
  if (bytes > MAX_TEMPLATE_BYTES) refuse(`is ${bytes} bytes long; at most ${MAX_TEMPLATE_BYTES}`);
  if (/\p{Cc}/u.test(context.value)) refuse("must not contain line breaks or other control characters");
  if (!context.value.isWellFormed()) refuse("must be well-formed Unicode");
});
const partnerFields = {
  display_name: name,
  server_to_server: z.boolean(),
  click_parameters: template,
  impression_parameters: template,
  cost_parameters: template,
};
export const createPartner = {
  body: z.strictObject({
    display_name: name,
    server_to_server: z.boolean().default(false),
    click_parameters: template.default(""),
    impression_parameters: template.default(""),
    cost_parameters: template.default(""),
  }),
};
export const updatePartner = { path: byId, body: change(z.object(partnerFields).partial().shape) };

/** In their own order, each once. */
const costTypes = z
  .array(z.enum(COST_TYPES, { error: `must be one of ${COST_TYPES.join(", ")}` }))
  .min(1, "must name at least one cost type")
  .transform((types) => COST_TYPES.filter((type) => types.includes(type)));
const partnerId = z.int().positive();

export const createCredential = {
  body: z.strictObject({
    partner_id: partnerId,
    mode: z.enum(["live", "test"], { error: "must be live or test" }),
    cost_types: costTypes,
  }),
};

export const openRound = { body: z.strictObject({ partner_id: partnerId, cost_types: costTypes }) };
export const listEntries = { path: byId, query: pageQuery };
export const dismissFinding = {
  path: byId,
  body: z.strictObject({
    finding: textField(1, 300).meta({
      description: "`finding` of the report, for instance `entry 9` or `click corsair-click-0003`",
    }),
  }),
};

/** What the console adds a member by. */
export const emailForm = z.object({ email });
