/** What the page of a partner shows. */
import { listRecentRejections } from "../../db/ledger/recent-rejections.ts";
import { findAdjustments } from "../../db/ledger/reports/adjustments.ts";
import { findEvents } from "../../db/ledger/reports/events.ts";
import type { ShownEvent } from "../../domain/events.ts";
import { dayOf } from "../../domain/time.ts";
import type { Context } from "../../env.ts";
import { AppError } from "../../errors.ts";
import { readInput } from "../../http/input/input.ts";
import { daysBefore, type Period, periodQuery, toPeriod } from "../../pages/periods.ts";
import { toRejectionItem } from "../../usecases/costs/rejection-item.ts";
import { toEvents, withStates } from "../../usecases/events.ts";
import { type PartnerStatus, readPartnerStatus, type StatusDetails } from "../../usecases/partner-status.ts";
import { authorizeApp, type Member } from "../frame.ts";
import { periodQuery as daysQuery } from "../links/query.ts";
import type { Compared } from "../performance/cells.ts";
import { idOf } from "./rejections.ts";

const MOST_REJECTIONS = 5;

type Status = PartnerStatus & StatusDetails;

export interface View {
  status: Status;
  period: Period;
  compared: Compared;
  /** Below the page of the app. */
  hrefOf: (page: string, query?: Record<string, string>) => string;
  rejected: ReturnType<typeof toRejectionItem>[];
  /** Those of the partner, with the adjustments in a currency. */
  eventsOf: (currency: string) => ShownEvent[];
}

export async function readView(context: Context, { viewer, app, path }: Member): Promise<View> {
  const { query } = await readInput(context, { query: daysQuery });
  const { ledger, now } = context;
  const period = toPeriod(query, now, app.firstDay);
  const partnerId = idOf(context);
  const request = {
    appToken: app.token,
    partnerId,
    days: { from: period.from, to: period.to },
    before: daysBefore(period),
  };
  const { days } = request;
  const [{ access, status, more }, { items }] = await Promise.all([
    readPartnerStatus(ledger, viewer, request, now, {
      ...findEvents(ledger.control, viewer, app.token, { changed: days, voided: days, partnerId }),
      adjustments: findAdjustments(ledger.control, viewer, app.token, { ...days, partnerId }),
    }),
    listRecentRejections(ledger, partnerId, app.token, { after: null, limit: MOST_REJECTIONS }, now),
  ]);
  authorizeApp(access);
  if (!status) throw new AppError("not_found", "This partner does not exist.");
  const rejected = status.rejected.map(({ day, code, count }) => ({
    partnerId,
    code,
    count,
    first: day,
    last: day,
    isLater: 0,
  }));
  const silent = status.silentSince;
  return {
    status,
    period,
    compared: {
      isCompared: period.to < dayOf(now) && status.before !== undefined,
    },
    eventsOf: (currency) =>
      withStates(
        toEvents({ ...more, rejected }, { isOfPartner: (id) => id === partnerId, currency }).events,
        [{ ...status.partner, silentOn: silent === null ? null : dayOf(silent) }],
        days,
      ),
    hrefOf: (page, query = {}) =>
      `${path}/${page}?${new URLSearchParams({ ...periodQuery(period), ...query })}`,
    rejected: items.map(toRejectionItem),
  };
}
