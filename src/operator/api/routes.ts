/** The routes of the operator API: `/operator/v1/…` */
import * as apps from "../../db/operator/apps.ts";
import { listAudit } from "../../db/operator/audit.ts";
import * as credentials from "../../db/operator/credentials.ts";
import * as partners from "../../db/operator/partners.ts";
import * as rounds from "../../db/operator/rounds.ts";
import * as users from "../../db/operator/users.ts";
import type { Route } from "../../http/router.ts";
import { toRoundItem, toRoundWithReport } from "../../usecases/rounds/serialize.ts";
import * as actions from "../actions.ts";
import * as contract from "../contract.ts";
import * as resources from "../resources.ts";
import * as roundActions from "../rounds.ts";
import { idOf, list, one, tokenOf } from "./handlers.ts";
import * as operations from "./operations.ts";

const appRoutes: Route[] = [
  {
    path: "/operator/v1/apps",
    methods: {
      GET: list(operations.listApps, contract.list, apps.listApps, resources.toAppItem),
      POST: one(
        operations.createApp,
        contract.createApp,
        async (context, operator, { body }) =>
          resources.toAppItem(await actions.createApp(context, operator, body)),
        tokenOf,
      ),
    },
  },
  {
    path: "/operator/v1/apps/:token",
    methods: {
      GET: one(operations.readApp, contract.readApp, async ({ env }, { actor, authorize }, { path }) => {
        const { access, app } = await apps.findApp(env.DB, actor, path.token);
        authorize(access);
        if (!app) throw actions.notFound("app");
        return resources.toAppItem(app);
      }),
      PATCH: one(operations.updateApp, contract.updateApp, async (context, operator, { path, body }) =>
        resources.toAppItem(await actions.updateApp(context, operator, path.token, body)),
      ),
    },
  },
  {
    path: "/operator/v1/apps/:token/members",
    methods: {
      GET: list(
        operations.listMembers,
        contract.listMembers,
        (db, actor, range, { path }) => apps.listMembers(db, actor, range, { token: path.token }),
        ({ id, email, role }) => ({ user_id: id, email, role }),
      ),
      POST: one(operations.addMember, contract.addMember, async (context, operator, { path, body }) => {
        await actions.addMember(context, operator, { appToken: path.token, userId: body.user_id });
        return { app_token: path.token, user_id: body.user_id };
      }),
    },
  },
  {
    path: "/operator/v1/apps/:token/members/:user_id",
    methods: {
      DELETE: one(operations.removeMember, contract.removeMember, async (context, operator, { path }) => {
        await actions.removeMember(context, operator, { appToken: path.token, userId: path.user_id });
        return { app_token: path.token, user_id: path.user_id };
      }),
    },
  },
];

const userRoutes: Route[] = [
  {
    path: "/operator/v1/users",
    methods: {
      GET: list(
        operations.listUsers,
        contract.list,
        (db, actor, range) => users.listUsers(db, actor, range),
        resources.toUserItem,
      ),
      POST: one(
        operations.createUser,
        contract.createUser,
        async (context, operator, { body }) => {
          const { user, password } = await actions.createUser(context, operator, body);
          return {
            ...resources.toUserItem(user),
            ...(password !== null && { temporary_password: password }),
          };
        },
        idOf,
      ),
    },
  },
  {
    path: "/operator/v1/users/:id",
    methods: {
      GET: one(operations.readUser, contract.readOne, async ({ env }, { actor, authorize }, { path }) => {
        const { access, user } = await users.findUser(env.DB, actor, path.id);
        authorize(access);
        if (!user) throw actions.notFound("user");
        return resources.toUserItem(user);
      }),
      PATCH: one(operations.updateUser, contract.updateUser, async (context, operator, { path, body }) =>
        resources.toUserItem(await actions.updateUser(context, operator, path.id, body)),
      ),
    },
  },
  {
    path: "/operator/v1/users/:id/password",
    methods: {
      POST: one(operations.resetPassword, contract.readOne, async (context, operator, { path }) => {
        const { user, password } = await actions.resetPassword(context, operator, path.id);
        return { ...resources.toUserItem(user), temporary_password: password };
      }),
    },
  },
  {
    path: "/operator/v1/users/:id/token",
    methods: {
      POST: one(operations.issueToken, contract.readOne, async (context, operator, { path }) => {
        const { user, token } = await actions.issueToken(context, operator, path.id);
        return { ...resources.toUserItem(user), api_token: token };
      }),
    },
  },
];

const partnerRoutes: Route[] = [
  {
    path: "/operator/v1/partners",
    methods: {
      GET: list(
        operations.listPartnerRecords,
        contract.list,
        partners.listPartnerRecords,
        resources.toPartnerItem,
      ),
      POST: one(
        operations.createPartner,
        contract.createPartner,
        async (context, operator, { body }) =>
          resources.toPartnerItem(await actions.createPartner(context, operator, body)),
        idOf,
      ),
    },
  },
  {
    path: "/operator/v1/partners/:id",
    methods: {
      GET: one(operations.readPartner, contract.readOne, async ({ env }, { actor, authorize }, { path }) => {
        const { access, partner } = await partners.findPartnerRecord(env.DB, actor, path.id);
        authorize(access);
        if (!partner) throw actions.notFound("partner");
        return resources.toPartnerItem(partner);
      }),
      PATCH: one(
        operations.updatePartner,
        contract.updatePartner,
        async (context, operator, { path, body }) =>
          resources.toPartnerItem(await actions.updatePartner(context, operator, path.id, body)),
      ),
    },
  },
];

const credentialRoutes: Route[] = [
  {
    path: "/operator/v1/credentials",
    methods: {
      GET: list(
        operations.listCredentials,
        contract.listOfPartner,
        (db, actor, range, { query }) =>
          query.partner_id === undefined
            ? credentials.listCredentials(db, actor, range)
            : credentials.listCredentialsOfPartner(db, actor, range, { partnerId: query.partner_id }),
        resources.toCredentialItem,
      ),
      POST: one(
        operations.createCredential,
        contract.createCredential,
        async (context, operator, { body }) => {
          const { credential, secret } = await actions.createCredential(context, operator, body);
          return { ...resources.toCredentialItem(credential), credential: secret };
        },
        idOf,
      ),
    },
  },
  {
    path: "/operator/v1/credentials/:id/revoke",
    methods: {
      POST: one(operations.revokeCredential, contract.readOne, async (context, operator, { path }) =>
        resources.toCredentialItem(await actions.revokeCredential(context, operator, path.id)),
      ),
    },
  },
];

const roundRoutes: Route[] = [
  {
    path: "/operator/v1/rounds",
    methods: {
      GET: list(
        operations.listRounds,
        contract.listOfPartner,
        (db, actor, range, { query }) =>
          query.partner_id === undefined
            ? rounds.listRounds(db, actor, range)
            : rounds.listRoundsOfPartner(db, actor, range, { partnerId: query.partner_id }),
        toRoundItem,
      ),
      POST: one(
        operations.openRound,
        contract.openRound,
        async (context, operator, { body }) => {
          const { round, secret } = await roundActions.openRound(context, operator, body);
          return { ...round, test_credential: secret };
        },
        idOf,
      ),
    },
  },
  {
    path: "/operator/v1/rounds/:id",
    methods: {
      GET: one(operations.readRound, contract.readOne, async (context, operator, { path }) =>
        toRoundWithReport(await roundActions.readRound(context, operator, path.id)),
      ),
    },
  },
  {
    path: "/operator/v1/rounds/:id/entries",
    methods: {
      GET: list(
        operations.listEntries,
        contract.listEntries,
        (db, actor, range, { path }) => rounds.listEntries(db, actor, range, path.id),
        (entry) => resources.toEntryItem(entry),
      ),
    },
  },
  {
    path: "/operator/v1/rounds/:id/approve",
    methods: {
      POST: one(operations.approveRound, contract.readOne, (context, operator, { path }) =>
        roundActions.approveRound(context, operator, path.id),
      ),
    },
  },
  {
    path: "/operator/v1/rounds/:id/close",
    methods: {
      POST: one(operations.closeRound, contract.readOne, (context, operator, { path }) =>
        roundActions.closeRound(context, operator, path.id),
      ),
    },
  },
  {
    path: "/operator/v1/rounds/:id/dismissals",
    methods: {
      POST: one(operations.dismissFinding, contract.dismissFinding, (context, operator, { path, body }) =>
        roundActions.dismissFinding(context, operator, path.id, body.finding),
      ),
    },
  },
];

export const apiRoutes: Route[] = [
  ...appRoutes,
  ...userRoutes,
  ...partnerRoutes,
  ...credentialRoutes,
  ...roundRoutes,
  {
    path: "/operator/v1/audit",
    methods: {
      GET: list(
        operations.listAudit,
        contract.list,
        (db, actor, range) => listAudit(db, actor, range),
        resources.toAuditItem,
      ),
    },
  },
];
