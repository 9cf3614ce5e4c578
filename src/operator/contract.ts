/** The contracts of the operator API's requests. */
import * as z from "zod/mini";
import { FORBIDDEN_SCHEMES } from "../domain/click-target.ts";
import { COST_TYPES } from "../domain/cost-types.ts";
import { appToken, email, idNumber, idText, pageQuery, plainText, readAs } from "../http/fields.ts";

const MAX_TEMPLATE_BYTES = 4 * 1024;
const MAX_LIST_ITEMS = 100;

const byId = z.object({ id: idText });

const name = z.string().check(z.trim(), plainText(1, 255));

/** An absolute http or https URL, normalized by the URL parser so that it is safe in a header. */
const webUrl = readAs(z.string().check(plainText(1, 2048)), (value, reject) => {
  const url = URL.parse(value);
  const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
  if (!url || !isWeb || !/^https?:\/\//i.test(value)) {
    reject("must be an absolute http or https URL");
    return z.NEVER;
  }
  return url.href;
});

/** Labels without wildcards, or an IPv6 address in brackets, with an optional port. */
const PLAIN_HOST = /^([\w-]+(\.[\w-]+)*\.?|\[[\da-f:]+\])(:\d+)?$/;

/** A host with an optional port, normalized by the URL parser. */
const host = readAs(z.string().check(plainText(1, 260)), (value, reject) => {
  const url = /[/?#@\\\s]/.test(value) ? null : URL.parse(`https://${value}`);
  if (url && PLAIN_HOST.test(url.host)) return url.host;
  reject("must be a host without wildcards, for example shop.example.com; hosts are matched exactly");
  return z.NEVER;
});

const scheme = readAs(z.string().check(plainText(1, 64)), (value, reject) => {
  const name = value.toLowerCase();
  if (!/^[a-z][a-z0-9+.-]*$/.test(name)) reject("must be a URL scheme without the colon");
  if (FORBIDDEN_SCHEMES.has(name)) reject("must not be a scheme that runs code or reads local data");
  return name;
});

const listOf = <T extends z.ZodMiniType>(item: T) =>
  z.array(item).check(z.maxLength(MAX_LIST_ITEMS, `must have at most ${MAX_LIST_ITEMS} items`));

const appFields = {
  name,
  default_url: webUrl,
  ios_url: z.nullable(webUrl),
  android_url: z.nullable(webUrl),
  redirect_hosts: listOf(host),
  redirect_schemes: listOf(scheme),
};

/** An object with at least one of the fields. */
const change = <T extends z.core.$ZodLooseShape>(shape: T) =>
  z
    .strictObject(shape)
    .check(
      z.refine(
        (body) => Object.values(body).some((value) => value !== undefined),
        `must have at least one of ${Object.keys(shape).join(", ")}`,
      ),
    );

export const list = { query: pageQuery, paged: true as const };
export const listOfPartner = {
  query: z.extend(pageQuery, { partner_id: z.optional(idText) }),
  paged: true as const,
};
export const readOne = { path: byId };

const appPath = z.object({ token: appToken });
export const createApp = {
  body: z.strictObject({
    ...appFields,
    ios_url: z._default(appFields.ios_url, null),
    android_url: z._default(appFields.android_url, null),
    redirect_hosts: z._default(appFields.redirect_hosts, []),
    redirect_schemes: z._default(appFields.redirect_schemes, []),
  }),
};
export const readApp = { path: appPath };
export const updateApp = { path: appPath, body: change(z.partial(z.object(appFields)).shape) };

export const listMembers = { path: appPath, query: pageQuery, paged: true as const };
export const addMember = { path: appPath, body: z.strictObject({ user_id: idNumber }) };
export const removeMember = { path: z.extend(appPath, { user_id: idText }) };

const role = z.enum(["member", "operator"], "must be member or operator");
export const createUser = {
  body: z.strictObject({
    email,
    role: z._default(role, "member"),
    sign_in: z._default(z.enum(["password", "sso"], "must be password or sso"), "password"),
  }),
};
export const updateUser = {
  path: byId,
  body: change({
    role: z.optional(role),
    disabled: z.optional(z.boolean()),
    sign_in: z.optional(
      z.literal("sso", "can only be changed to sso; to change it to password, reset the password"),
    ),
  }),
};

/** Stored byte for byte, because macros are not valid URLs. */
const template = z.string().check((context) => {
  const reject = (message: string) => context.issues.push({ code: "custom", message, input: context.value });
  const bytes = new TextEncoder().encode(context.value).byteLength;
  if (bytes > MAX_TEMPLATE_BYTES) reject(`has ${bytes} bytes; the limit is ${MAX_TEMPLATE_BYTES}`);
  if (/\p{Cc}/u.test(context.value)) reject("must not contain line breaks or other control characters");
  if (!context.value.isWellFormed()) reject("must be well-formed Unicode");
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
    server_to_server: z._default(z.boolean(), false),
    click_parameters: z._default(template, ""),
    impression_parameters: z._default(template, ""),
    cost_parameters: z._default(template, ""),
  }),
};
export const updatePartner = {
  path: byId,
  body: change({
    ...z.partial(z.object(partnerFields)).shape,
    supports_cost_data: z
      .optional(z.boolean())
      .with(
        z.describe(
          "Whether costs of an integrated partner are accepted. If false, costs that are sent by API or on a URL do not count.",
        ),
      ),
  }),
};

/** Distinct cost types in the order of `COST_TYPES`. */
const costTypes = z.pipe(
  z
    .array(z.enum(COST_TYPES, `must be one of ${COST_TYPES.join(", ")}`))
    .check(z.minLength(1, "must have at least one cost type")),
  z.transform((types) => COST_TYPES.filter((type) => types.includes(type))),
);

export const createCredential = {
  body: z.strictObject({
    partner_id: idNumber,
    mode: z.enum(["live", "test"], "must be live or test"),
    cost_types: costTypes,
  }),
};

export const openRound = { body: z.strictObject({ partner_id: idNumber, cost_types: costTypes }) };
export const listEntries = { path: byId, query: pageQuery, paged: true as const };
export const dismissFinding = {
  path: byId,
  body: z.strictObject({
    finding: z
      .string()
      .check(plainText(1, 300))
      .with(z.describe("The `finding` of the report, for example `entry 9` or `click corsair-click-0003`")),
  }),
};

/** The console's form to add a member. */
export const emailForm = z.object({ email });
