/** The routes for operators: the operator API and the console. */
import { routesOf } from "../http/operation.ts";
import type { Route } from "../http/router.ts";
import { addMemberOperation } from "./api/apps/add-member.ts";
import { createAppOperation } from "./api/apps/create-app.ts";
import { listAppsOperation } from "./api/apps/list-apps.ts";
import { listMembersOperation } from "./api/apps/list-members.ts";
import { readAppOperation } from "./api/apps/read-app.ts";
import { removeMemberOperation } from "./api/apps/remove-member.ts";
import { updateAppOperation } from "./api/apps/update-app.ts";
import { listAuditOperation } from "./api/audit/list-audit.ts";
import { createCredentialOperation } from "./api/credentials/create-credential.ts";
import { listCredentialsOperation } from "./api/credentials/list-credentials.ts";
import { revokeCredentialOperation } from "./api/credentials/revoke-credential.ts";
import { createPartnerOperation } from "./api/partners/create-partner.ts";
import { listPartnersOperation } from "./api/partners/list-partners.ts";
import { readPartnerOperation } from "./api/partners/read-partner.ts";
import { updatePartnerOperation } from "./api/partners/update-partner.ts";
import { approveRoundOperation } from "./api/rounds/approve-round.ts";
import { closeRoundOperation } from "./api/rounds/close-round.ts";
import { dismissFindingOperation } from "./api/rounds/dismiss-finding.ts";
import { listEntriesOperation } from "./api/rounds/list-entries.ts";
import { listRoundsOperation } from "./api/rounds/list-rounds.ts";
import { openRoundOperation } from "./api/rounds/open-round.ts";
import { readRoundOperation } from "./api/rounds/read-round.ts";
import { createUserOperation } from "./api/users/create-user.ts";
import { issueTokenOperation } from "./api/users/issue-token.ts";
import { listUsersOperation } from "./api/users/list-users.ts";
import { readUserOperation } from "./api/users/read-user.ts";
import { resetPasswordOperation } from "./api/users/reset-password.ts";
import { updateUserOperation } from "./api/users/update-user.ts";
import { consoleRoutes } from "./console/routes.ts";

export const operatorRoutes: Route[] = [
  ...routesOf([
    listAppsOperation,
    createAppOperation,
    readAppOperation,
    updateAppOperation,
    listMembersOperation,
    addMemberOperation,
    removeMemberOperation,
    listUsersOperation,
    createUserOperation,
    readUserOperation,
    updateUserOperation,
    resetPasswordOperation,
    issueTokenOperation,
    listPartnersOperation,
    createPartnerOperation,
    readPartnerOperation,
    updatePartnerOperation,
    listCredentialsOperation,
    createCredentialOperation,
    revokeCredentialOperation,
    listRoundsOperation,
    openRoundOperation,
    readRoundOperation,
    listEntriesOperation,
    approveRoundOperation,
    closeRoundOperation,
    dismissFindingOperation,
    listAuditOperation,
  ]),
  ...consoleRoutes,
];
