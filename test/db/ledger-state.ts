/** Reads what the ledger has, in the form of the model in ledger-model.ts. */
import { RETENTION_MS } from "../../src/domain/time.ts";
import { rows } from "../harness.ts";
import { totals } from "../support.ts";

/** The columns of the remembered rows. */
export const ledgerRows = (now: number) =>
  rows(
    `SELECT partner_id AS partnerId, cost_id AS costId, cost_type AS costType, currency, amount, tag, received_at AS receivedAt,
      click_link_id AS clickLinkId, click_at AS clickAt, impression_link_id AS impressionLinkId, impression_at AS impressionAt,
      matched_kind AS matchedKind, matched_at AS matchedAt, amount_in_effect AS amountInEffect, state, void_state AS voidState,
      counting_price AS countingPrice, remembered_until - ${RETENTION_MS} AS lastAt
    FROM ledger_entries WHERE remembered_until >= ? ORDER BY partner_id, cost_id`,
    now,
  );

/** What counts of the remembered rows. */
export const ledgerStates = (now: number) =>
  rows(
    `SELECT s.partner_id AS partnerId, s.cost_id AS costId, source, s.cost_type AS costType, s.currency, s.amount, s.state, kind,
      app_token AS appToken, link_id AS linkId, day, country, platform
    FROM cost_states s JOIN ledger_entries e USING (partner_id, cost_id)
    WHERE remembered_until >= ? ORDER BY s.partner_id, s.cost_id, source`,
    now,
  );

export const TOTALS = "app_token, day, link_id, partner_id, cost_type, currency, state";

export const storedTotals = () => totals(`${TOTALS}, count, amount`);
export const storedAudienceTotals = () =>
  totals(`${TOTALS}, country, platform, count, amount`, "daily_audience_spend");
