export interface AddMemberData {
  data: {
    api_version: "1";
    items: {
      app_token: string;
      user_id: number;
    }[];
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface App {
  android_url: string | null;
  /** @format date-time */
  created_at: string;
  default_url: string;
  ios_url: string | null;
  /** Number of network links (level 1) */
  link_count: number;
  name: string;
  redirect_hosts: string[];
  redirect_schemes: string[];
  token: string;
}

export interface ApproveRoundData {
  data: {
    api_version: "1";
    items: {
      cost_types: ("cpc" | "cpi" | "cpe" | "cpm")[];
      ended_at: string | null;
      entries: number;
      id: number;
      max_entries: number;
      /** @format date-time */
      opened_at: string;
      partner: string;
      partner_id: number;
      report: RoundReport;
      state: "open" | "closed" | "approved";
    }[];
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface AuditEntry {
  action: string;
  detail: Partial<Record<string, any>>;
  /** @format date-time */
  happened_at: string;
  id: number;
  subject: string;
  user: {
    email: string;
    id: number;
  } | null;
}

export interface CloseRoundData {
  data: {
    api_version: "1";
    items: {
      cost_types: ("cpc" | "cpi" | "cpe" | "cpm")[];
      ended_at: string | null;
      entries: number;
      id: number;
      max_entries: number;
      /** @format date-time */
      opened_at: string;
      partner: string;
      partner_id: number;
      report: RoundReport;
      state: "open" | "closed" | "approved";
    }[];
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface CreateAppData {
  data: {
    api_version: "1";
    items: App[];
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface CreateCredentialData {
  data: {
    api_version: "1";
    items: Credential[];
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface CreateLinkData {
  data: {
    api_version: "1";
    items: Link[];
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface CreateLinksData {
  data: {
    api_version: "1";
    items: (
      | {
          link: Link;
          status: 201;
        }
      | Problem
    )[];
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface CreatePartnerData {
  data: {
    api_version: "1";
    items: PartnerRecord[];
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface CreateUserData {
  data: {
    api_version: "1";
    items: User[];
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface Credential {
  cost_types: ("cpc" | "cpi" | "cpe" | "cpm")[];
  /** @format date-time */
  created_at: string;
  /** Returned only in this response */
  credential?: string;
  hint: string;
  id: number;
  mode: "live" | "test";
  partner_id: number;
  revoked_at: string | null;
  round_id: number | null;
}

export interface DismissFindingData {
  data: {
    api_version: "1";
    items: {
      cost_types: ("cpc" | "cpi" | "cpe" | "cpm")[];
      ended_at: string | null;
      entries: number;
      id: number;
      max_entries: number;
      /** @format date-time */
      opened_at: string;
      partner: string;
      partner_id: number;
      report: RoundReport;
      state: "open" | "closed" | "approved";
    }[];
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface Finding {
  /** @format date-time */
  at: string;
  cost_id: string | null;
  expected: string;
  /** Identifies the finding in a dismissal */
  finding: string;
  kind:
    | "engagement_without_cost"
    | "cost_without_engagement"
    | "wrong_engagement"
    | "differs_from_url"
    | "late"
    | "malformed"
    | "conflict"
    | "not_in_round"
    | "duplicate"
    | "incomplete";
  remedy: string;
  sent: Partial<Record<string, string>>;
  state: "open" | "resolved" | "dismissed" | "note";
}

export interface IssueTokenData {
  data: {
    api_version: "1";
    items: User[];
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface Link {
  archived: boolean;
  /** A template with the partner's macros, unencoded */
  click_url: string;
  /** Whether cost data is on, by its own setting or an inherited one */
  cost_data_enabled: boolean;
  has_subtrackers: boolean;
  /** A template with the partner's macros, unencoded */
  impression_url: string;
  /** The link's own name */
  label: string;
  /**
   * @min 1
   * @max 4
   */
  level: number;
  /** The names of the links above it and its own, joined by :: */
  name: string;
  /** The link's own partner; null if it inherits one or has none */
  partner_id: number | null;
  token: string;
  url: string;
}

export interface ListAppsData {
  data: {
    api_version: "1";
    items: App[];
    paging: PagingV1;
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface ListAuditData {
  data: {
    api_version: "1";
    items: AuditEntry[];
    paging: PagingV1;
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface ListChildrenV1Data {
  data: {
    api_version: "1";
    items: Link[];
    paging: PagingV1;
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface ListChildrenV2Data {
  data: {
    items: Link[];
    paging: PagingV2;
  };
}

export interface ListCostsData {
  items: {
    amount: string | null;
    cost_currency: string;
    cost_id: string;
    cost_type: string;
    engagement: {
      kind: "click" | "impression";
      link_token: string | null;
      /** @format date-time */
      occurred_at: string;
    } | null;
    match: "matched" | "pending" | "lapsed" | "voided";
    may_match_until: string | null;
    /** Why the cost does not match the engagements with this ID; null if it matches one, or if there are none */
    mismatch:
      | "wrong_engagement"
      | "cost_data_disabled"
      | "window_closed"
      | null;
    /** @format date-time */
    received_at: string;
    source: "call" | "url";
    tag: string | null;
    /** The price on the engagement's URL, if it counts until a call with this ID matches */
    url_price: {
      amount: string;
      cost_currency: string;
      cost_type: string;
    } | null;
  }[];
  paging: PagingV2;
  request_id: string;
}

export interface ListCredentialsData {
  data: {
    api_version: "1";
    items: Credential[];
    paging: PagingV1;
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface ListDroppedParametersData {
  data: {
    api_version: "1";
    items: {
      count: number;
      day: string;
      param: string;
      reason:
        | "invalid"
        | "repeated"
        | "unfilled_macro"
        | "missing_level"
        | "other_partner"
        | "too_many_links";
    }[];
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface ListLinksV1Data {
  data: {
    api_version: "1";
    items: Link[];
    paging: PagingV1;
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface ListLinksV2Data {
  data: {
    items: Link[];
    paging: PagingV2;
  };
}

export interface ListMembersData {
  data: {
    api_version: "1";
    items: Member[];
    paging: PagingV1;
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface ListOwnAppsData {
  data: {
    api_version: "1";
    items: OwnApp[];
    paging: PagingV1;
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface ListPartnerRecordsData {
  data: {
    api_version: "1";
    items: PartnerRecord[];
    paging: PagingV1;
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface ListPartnersData {
  data: {
    api_version: "1";
    items: Partner[];
    paging: PagingV1;
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface ListRoundEntriesData {
  data: {
    api_version: "1";
    items: RoundEntry[];
    paging: PagingV1;
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface ListRoundsData {
  data: {
    api_version: "1";
    items: Round[];
    paging: PagingV1;
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface ListUsersData {
  data: {
    api_version: "1";
    items: User[];
    paging: PagingV1;
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface Member {
  email: string;
  role: "member" | "operator";
  user_id: number;
}

export interface OpenImpressionData {
  /** The ID in the ledger; generated for a price that counts without one */
  cost_id: string | null;
  /** Names of the parameters that were not used */
  dropped: string[];
  /** True if the ledger already had an engagement of this kind with this cost ID; the first one counts */
  duplicate: boolean;
  kind: "click" | "impression";
  /** Whether the engagement is in the ledger */
  recorded: boolean;
  request_id: string;
  status: "ok";
}

export interface OpenLinkData {
  /** The ID in the ledger; generated for a price that counts without one */
  cost_id: string | null;
  /** Names of the parameters that were not used */
  dropped: string[];
  /** True if the ledger already had an engagement of this kind with this cost ID; the first one counts */
  duplicate: boolean;
  kind: "click" | "impression";
  /** Whether the engagement is in the ledger */
  recorded: boolean;
  request_id: string;
  status: "ok";
}

export interface OpenRoundData {
  data: {
    api_version: "1";
    items: {
      cost_types: ("cpc" | "cpi" | "cpe" | "cpm")[];
      ended_at: string | null;
      entries: number;
      id: number;
      max_entries: number;
      /** @format date-time */
      opened_at: string;
      partner: string;
      partner_id: number;
      report: RoundReport;
      state: "open" | "closed" | "approved";
      /** Returned only in this response */
      test_credential: string;
    }[];
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface OwnApp {
  /** @format date-time */
  created_at: string;
  /** Links of level 1, archived ones included */
  link_count: number;
  name: string;
  /** The app token in the paths of this API */
  token: string;
}

export interface PagingV1 {
  /** Number of items on this page */
  collection_size: string;
  cursors: {
    after: string | null;
    before: string | null;
  };
  next: string | null;
  /** The limit in effect */
  page_size: string;
  previous: string | null;
  /** Number of items in the whole list */
  total: string;
}

export interface PagingV2 {
  cursor: string | null;
  next: string | null;
}

export interface Partner {
  display_name: string;
  id: number;
  supports_cost_data: boolean;
}

export interface PartnerRecord {
  click_parameters: string;
  cost_parameters: string;
  cost_types: Partial<
    Record<"cpc" | "cpi" | "cpe" | "cpm", "none" | "in_round" | "integrated">
  >;
  /** @format date-time */
  created_at: string;
  display_name: string;
  id: number;
  impression_parameters: string;
  /** The highest price on the URL of a click or impression that counts, in any currency */
  max_url_amount: string;
  open_rounds: number[];
  server_to_server: boolean;
  /** Since when an operator keeps the partner from sending costs; null if it may send them */
  stopped_at: string | null;
  /** Whether the partner has integrated a cost type in a round */
  supports_cost_data: boolean;
}

export interface Problem {
  code: string;
  detail: string;
  /** Every invalid parameter. The message is a phrase that follows the name of the parameter */
  errors?: {
    message: string;
    param: string;
  }[];
  request_id: string;
  status: number;
  title: string;
  /** The address of a page that explains the code */
  type: string;
}

export interface ReadAppData {
  data: {
    api_version: "1";
    items: App[];
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface ReadCostData {
  amount: string | null;
  cost_currency: string;
  cost_id: string;
  cost_type: string;
  engagement: {
    kind: "click" | "impression";
    link_token: string | null;
    /** @format date-time */
    occurred_at: string;
  } | null;
  match: "matched" | "pending" | "lapsed" | "voided";
  may_match_until: string | null;
  /** Why the cost does not match the engagements with this ID; null if it matches one, or if there are none */
  mismatch: "wrong_engagement" | "cost_data_disabled" | "window_closed" | null;
  /** @format date-time */
  received_at: string;
  request_id: string;
  source: "call" | "url";
  status: "ok";
  tag: string | null;
  /** The price on the engagement's URL, if it counts until a call with this ID matches */
  url_price: {
    amount: string;
    cost_currency: string;
    cost_type: string;
  } | null;
}

export interface ReadEngagementsData {
  data: {
    api_version: "1";
    items: {
      /** Clicks and impressions */
      count: number;
      /** @format date */
      day?: string;
      kind?: "click" | "impression";
      /** The link's own name */
      link_label?: string | null;
      /** The names of the links above it and its own, joined by :: */
      link_name?: string | null;
      link_token?: string | null;
      /** null: no partner was in effect */
      partner_id?: number | null;
      partner_name?: string | null;
      /** Those in the ledger, because they have a cost ID or a price */
      recorded: number;
    }[];
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface ReadLinkData {
  data: {
    api_version: "1";
    items: Link[];
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface ReadLivenessData {
  deployment: string;
  request_id: string;
  status: "ok";
  version: string;
}

export interface ReadPartnerData {
  data: {
    api_version: "1";
    items: PartnerRecord[];
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface ReadReadinessData {
  checks: {
    cron: {
      age_seconds?: number;
      ok: boolean;
      reason?: string;
    };
    database: {
      age_seconds?: number;
      ok: boolean;
      reason?: string;
    };
    links: {
      age_seconds?: number;
      ok: boolean;
      reason?: string;
    };
    migrations: {
      age_seconds?: number;
      ok: boolean;
      reason?: string;
    };
    shards: {
      age_seconds?: number;
      ok: boolean;
      reason?: string;
    };
    tokens: {
      age_seconds?: number;
      ok: boolean;
      reason?: string;
    };
  };
  request_id: string;
  status: "ready" | "not ready";
}

export interface ReadRoundData {
  cost_types: ("cpc" | "cpi" | "cpe" | "cpm")[];
  ended_at: string | null;
  entries: number;
  id: number;
  max_entries: number;
  /** @format date-time */
  opened_at: string;
  partner: string;
  partner_id: number;
  report: RoundReport;
  request_id: string;
  state: "open" | "closed" | "approved";
}

export interface ReadRoundReportData {
  data: {
    api_version: "1";
    items: {
      cost_types: ("cpc" | "cpi" | "cpe" | "cpm")[];
      ended_at: string | null;
      entries: number;
      id: number;
      max_entries: number;
      /** @format date-time */
      opened_at: string;
      partner: string;
      partner_id: number;
      report: RoundReport;
      state: "open" | "closed" | "approved";
    }[];
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface ReadSpendData {
  data: {
    api_version: "1";
    items: {
      cost_type?: string;
      currency: string;
      /** @format date */
      day?: string;
      /** The link's own name */
      link_label?: string | null;
      /** The names of the links above it and its own, joined by :: */
      link_name?: string | null;
      link_token?: string | null;
      /** Costs with an engagement and an amount */
      matched: number;
      /** null: no partner was in effect */
      partner_id?: number | null;
      partner_name?: string | null;
      /** An exact decimal number */
      spend: string;
      /** Costs with an engagement but without an amount */
      unpriced: number;
    }[];
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface ReadUserData {
  data: {
    api_version: "1";
    items: User[];
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface RemoveMemberData {
  data: {
    api_version: "1";
    items: {
      app_token: string;
      user_id: number;
    }[];
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface ResetPasswordData {
  data: {
    api_version: "1";
    items: User[];
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface RevokeCredentialData {
  data: {
    api_version: "1";
    items: Credential[];
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface Round {
  cost_types: ("cpc" | "cpi" | "cpe" | "cpm")[];
  ended_at: string | null;
  entries: number;
  id: number;
  max_entries: number;
  /** @format date-time */
  opened_at: string;
  partner: string;
  partner_id: number;
  state: "open" | "closed" | "approved";
}

export interface RoundEntry {
  /** `ok` or an error code */
  answer: string;
  cost_id: string | null;
  errors: {
    message: string;
    param: string;
  }[];
  number: number;
  /** @format date-time */
  received_at: string;
  sent: Partial<Record<string, string>>;
}

export interface RoundReport {
  /** Whether the report covers everything received. The report of an ended round also leaves out findings beyond the storage limit */
  complete: boolean;
  other_findings: Finding[];
  /** Whether the round can be approved */
  passed: boolean;
  types: {
    cost_type: "cpc" | "cpi" | "cpe" | "cpm";
    counts: Partial<
      Record<
        | "engagement_without_cost"
        | "cost_without_engagement"
        | "wrong_engagement"
        | "differs_from_url"
        | "late"
        | "malformed"
        | "conflict"
        | "not_in_round"
        | "duplicate",
        number
      >
    >;
    findings: Finding[];
    matched: number;
    open_mismatches: number;
    passed: boolean;
    unpriced: number;
  }[];
}

export interface SubmitBatchData {
  request_id: string;
  results: (
    | {
        /** Null while the cost is unpriced */
        amount: string | null;
        cost_id: string;
        /** True if the same cost was sent before: nothing was written */
        duplicate: boolean;
        match: "matched" | "pending" | "voided";
        /** Why a pending cost does not match the engagements with its ID. With a test credential: the finding in the report of the round, null for a match */
        mismatch?:
          | "engagement_without_cost"
          | "cost_without_engagement"
          | "wrong_engagement"
          | "differs_from_url"
          | "late"
          | "malformed"
          | "conflict"
          | "not_in_round"
          | "duplicate"
          | "cost_data_disabled"
          | "window_closed"
          | null;
        /** With a test credential: the integration round that stores this cost */
        round?: number;
        status: "ok";
      }
    | Problem
  )[];
}

export interface SubmitCostData {
  /** Null while the cost is unpriced */
  amount: string | null;
  cost_id: string;
  /** True if the same cost was sent before: nothing was written */
  duplicate: boolean;
  match: "matched" | "pending" | "voided";
  /** Why a pending cost does not match the engagements with its ID. With a test credential: the finding in the report of the round, null for a match */
  mismatch?:
    | "engagement_without_cost"
    | "cost_without_engagement"
    | "wrong_engagement"
    | "differs_from_url"
    | "late"
    | "malformed"
    | "conflict"
    | "not_in_round"
    | "duplicate"
    | "cost_data_disabled"
    | "window_closed"
    | null;
  request_id: string;
  /** With a test credential: the integration round that stores this cost */
  round?: number;
  status: "ok";
}

export interface UpdateAppData {
  data: {
    api_version: "1";
    items: App[];
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface UpdateLinkData {
  data: {
    api_version: "1";
    items: Link[];
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface UpdatePartnerData {
  data: {
    api_version: "1";
    items: PartnerRecord[];
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface UpdateUserData {
  data: {
    api_version: "1";
    items: User[];
    request_id: string;
    /** @format date-time */
    timestamp: string;
  };
}

export interface User {
  /** Returned only in this response */
  api_token?: string;
  /** @format date-time */
  created_at: string;
  disabled_at: string | null;
  email: string;
  id: number;
  role: "member" | "operator";
  sign_in: "password" | "sso";
  /** Returned only in this response */
  temporary_password?: string;
  token_hint: string | null;
}

export interface VoidCostData {
  cost_id: string;
  /** True if the cost was void before: nothing was written */
  duplicate: boolean;
  match: "voided";
  request_id: string;
  status: "ok";
}

export namespace Public {
  /**
   * No description
   * @tags campaign
   * @name CreateLink
   * @summary Create a link, or a sub-link below a parent
   * @request POST:/public/v1/apps/{app_token}/trackers
   * @secure
   */
  export namespace CreateLink {
    export type RequestParams = {
      /** @pattern ^[0-9A-Za-z]{12}$ */
      appToken: string;
    };
    export type RequestQuery = {};
    export type RequestBody = {
      name: string;
      parent_token?: string;
    };
    export type RequestHeaders = {
      /**
       * 1 to 255 visible ASCII characters. For 24 hours, the same key and body from the same user on the same app and path get the first response again.
       * @pattern ^[\x21-\x7e]{1,255}$
       */
      "Idempotency-Key"?: string;
    };
    export type ResponseBody = CreateLinkData;
  }

  /**
   * @description Each link gets its own result, in the order of the request. An invalid link does not affect the others.
   * @tags campaign
   * @name CreateLinks
   * @summary Create up to 100 links in one request
   * @request POST:/public/v1/apps/{app_token}/trackers/bulk
   * @secure
   */
  export namespace CreateLinks {
    export type RequestParams = {
      /** @pattern ^[0-9A-Za-z]{12}$ */
      appToken: string;
    };
    export type RequestQuery = {};
    export type RequestBody = {
      /**
       * @maxItems 100
       * @minItems 1
       */
      links: {
        name: string;
        parent_token?: string;
      }[];
    };
    export type RequestHeaders = {
      /**
       * 1 to 255 visible ASCII characters. For 24 hours, the same key and body from the same user on the same app and path get the first response again.
       * @pattern ^[\x21-\x7e]{1,255}$
       */
      "Idempotency-Key"?: string;
    };
    export type ResponseBody = CreateLinksData;
  }

  /**
   * No description
   * @tags campaign
   * @name ListChildrenV1
   * @summary List the direct sub-links of a link (v1)
   * @request GET:/public/v1/apps/{app_token}/trackers/{link_token}/children
   * @secure
   */
  export namespace ListChildrenV1 {
    export type RequestParams = {
      /** @pattern ^[0-9A-Za-z]{12}$ */
      appToken: string;
      linkToken: string;
    };
    export type RequestQuery = {
      /** The page starts after this cursor */
      after?: string;
      /** true: only archived links; false: only links that are not archived */
      archived?: "true" | "false";
      /** The page ends before this cursor */
      before?: string;
      /** Another name for after */
      cursor?: string;
      /**
       * Items per page, 50 by default and at most 1,000
       * @min 1
       */
      limit?: number;
      /** The beginning of the link's own name; ASCII letters match in any case */
      name?: string;
      /**
       * Only links that this partner is attached to, without those that inherit it
       * @min 1
       */
      partner_id?: number;
    };
    export type RequestBody = never;
    export type RequestHeaders = {};
    export type ResponseBody = ListChildrenV1Data;
  }

  /**
   * No description
   * @tags campaign
   * @name ListChildrenV2
   * @summary List the direct sub-links of a link (v2)
   * @request GET:/public/v2/apps/{app_token}/trackers/{link_token}/children
   * @secure
   */
  export namespace ListChildrenV2 {
    export type RequestParams = {
      /** @pattern ^[0-9A-Za-z]{12}$ */
      appToken: string;
      linkToken: string;
    };
    export type RequestQuery = {
      /** The page starts after this cursor */
      after?: string;
      /** true: only archived links; false: only links that are not archived */
      archived?: "true" | "false";
      /** The page ends before this cursor */
      before?: string;
      /** Another name for after */
      cursor?: string;
      /**
       * Items per page, 50 by default and at most 1,000
       * @min 1
       */
      limit?: number;
      /** The beginning of the link's own name; ASCII letters match in any case */
      name?: string;
      /**
       * Only links that this partner is attached to, without those that inherit it
       * @min 1
       */
      partner_id?: number;
    };
    export type RequestBody = never;
    export type RequestHeaders = {};
    export type ResponseBody = ListChildrenV2Data;
  }

  /**
   * @description Counts of the last 14 days by UTC day, parameter and reason, latest day first.
   * @tags campaign
   * @name ListDroppedParameters
   * @summary List the parameters that were dropped from the URLs of a link
   * @request GET:/public/v1/apps/{app_token}/trackers/{link_token}/dropped
   * @secure
   */
  export namespace ListDroppedParameters {
    export type RequestParams = {
      /** @pattern ^[0-9A-Za-z]{12}$ */
      appToken: string;
      linkToken: string;
    };
    export type RequestQuery = {};
    export type RequestBody = never;
    export type RequestHeaders = {};
    export type ResponseBody = ListDroppedParametersData;
  }

  /**
   * No description
   * @tags campaign
   * @name ListLinksV1
   * @summary List the level-1 links of an app (v1)
   * @request GET:/public/v1/apps/{app_token}/trackers
   * @secure
   */
  export namespace ListLinksV1 {
    export type RequestParams = {
      /** @pattern ^[0-9A-Za-z]{12}$ */
      appToken: string;
    };
    export type RequestQuery = {
      /** The page starts after this cursor */
      after?: string;
      /** true: only archived links; false: only links that are not archived */
      archived?: "true" | "false";
      /** The page ends before this cursor */
      before?: string;
      /** Another name for after */
      cursor?: string;
      /**
       * Items per page, 50 by default and at most 1,000
       * @min 1
       */
      limit?: number;
      /** The beginning of the link's own name; ASCII letters match in any case */
      name?: string;
      /**
       * Only links that this partner is attached to, without those that inherit it
       * @min 1
       */
      partner_id?: number;
    };
    export type RequestBody = never;
    export type RequestHeaders = {};
    export type ResponseBody = ListLinksV1Data;
  }

  /**
   * No description
   * @tags campaign
   * @name ListLinksV2
   * @summary List the level-1 links of an app (v2)
   * @request GET:/public/v2/apps/{app_token}/trackers
   * @secure
   */
  export namespace ListLinksV2 {
    export type RequestParams = {
      /** @pattern ^[0-9A-Za-z]{12}$ */
      appToken: string;
    };
    export type RequestQuery = {
      /** The page starts after this cursor */
      after?: string;
      /** true: only archived links; false: only links that are not archived */
      archived?: "true" | "false";
      /** The page ends before this cursor */
      before?: string;
      /** Another name for after */
      cursor?: string;
      /**
       * Items per page, 50 by default and at most 1,000
       * @min 1
       */
      limit?: number;
      /** The beginning of the link's own name; ASCII letters match in any case */
      name?: string;
      /**
       * Only links that this partner is attached to, without those that inherit it
       * @min 1
       */
      partner_id?: number;
    };
    export type RequestBody = never;
    export type RequestHeaders = {};
    export type ResponseBody = ListLinksV2Data;
  }

  /**
   * No description
   * @tags campaign
   * @name ListOwnApps
   * @summary List your apps
   * @request GET:/public/v1/apps
   * @secure
   */
  export namespace ListOwnApps {
    export type RequestParams = {};
    export type RequestQuery = {
      /** The page starts after this cursor */
      after?: string;
      /** The page ends before this cursor */
      before?: string;
      /** Another name for after */
      cursor?: string;
      /**
       * Items per page, 50 by default and at most 1,000
       * @min 1
       */
      limit?: number;
    };
    export type RequestBody = never;
    export type RequestHeaders = {};
    export type ResponseBody = ListOwnAppsData;
  }

  /**
   * No description
   * @tags campaign
   * @name ListPartners
   * @summary List partners
   * @request GET:/public/v1/partners
   * @secure
   */
  export namespace ListPartners {
    export type RequestParams = {};
    export type RequestQuery = {
      /** The page starts after this cursor */
      after?: string;
      /** The page ends before this cursor */
      before?: string;
      /** Another name for after */
      cursor?: string;
      /**
       * Items per page, 50 by default and at most 1,000
       * @min 1
       */
      limit?: number;
    };
    export type RequestBody = never;
    export type RequestHeaders = {};
    export type ResponseBody = ListPartnersData;
  }

  /**
   * @description Every click and impression of a person by its UTC day, with and without a cost ID. At most 366 days. Send `Accept: text/csv` to get the rows as CSV.
   * @tags campaign
   * @name ReadEngagements
   * @summary Read the clicks and impressions of an app
   * @request GET:/public/v1/apps/{app_token}/engagements
   * @secure
   */
  export namespace ReadEngagements {
    export type RequestParams = {
      /** @pattern ^[0-9A-Za-z]{12}$ */
      appToken: string;
    };
    export type RequestQuery = {
      /** The first day, in UTC; by default 29 days before the last day */
      from?: string;
      /** One or more of day, link, partner, kind, separated by commas; day by default */
      group_by?: string;
      /** Only clicks, or only impressions */
      kind?: "click" | "impression";
      /**
       * Adds each link to the link of this level above it. Links of higher levels keep their own rows
       * @min 1
       * @max 4
       */
      level?: number;
      /** The token of a link: only this link and everything below it */
      link?: string;
      /**
       * Only this partner
       * @min 1
       */
      partner_id?: number;
      /** The last day, in UTC; today by default. The report covers at most 366 days */
      to?: string;
    };
    export type RequestBody = never;
    export type RequestHeaders = {};
    export type ResponseBody = ReadEngagementsData;
  }

  /**
   * No description
   * @tags campaign
   * @name ReadLink
   * @summary Read a link
   * @request GET:/public/v1/apps/{app_token}/trackers/{link_token}
   * @secure
   */
  export namespace ReadLink {
    export type RequestParams = {
      /** @pattern ^[0-9A-Za-z]{12}$ */
      appToken: string;
      linkToken: string;
    };
    export type RequestQuery = {};
    export type RequestBody = never;
    export type RequestHeaders = {};
    export type ResponseBody = ReadLinkData;
  }

  /**
   * @description Matched costs by the UTC day of their engagement, with separate rows for each currency. A cpm amount counts as a thousandth of itself. At most 366 days. Send `Accept: text/csv` to get the rows as CSV.
   * @tags campaign
   * @name ReadSpend
   * @summary Read the spend of an app
   * @request GET:/public/v1/apps/{app_token}/spend
   * @secure
   */
  export namespace ReadSpend {
    export type RequestParams = {
      /** @pattern ^[0-9A-Za-z]{12}$ */
      appToken: string;
    };
    export type RequestQuery = {
      /** One of cpc, cpi, cpe, cpm: only this cost type */
      cost_type?: string;
      /** Only this currency */
      currency?: string;
      /** The first day, in UTC; by default 29 days before the last day */
      from?: string;
      /** One or more of day, link, partner, cost_type, separated by commas; day by default */
      group_by?: string;
      /**
       * Adds each link to the link of this level above it. Links of higher levels keep their own rows
       * @min 1
       * @max 4
       */
      level?: number;
      /** The token of a link: only this link and everything below it */
      link?: string;
      /**
       * Only this partner
       * @min 1
       */
      partner_id?: number;
      /** The last day, in UTC; today by default. The report covers at most 366 days */
      to?: string;
    };
    export type RequestBody = never;
    export type RequestHeaders = {};
    export type ResponseBody = ReadSpendData;
  }

  /**
   * No description
   * @tags campaign
   * @name UpdateLink
   * @summary Update a link: partner, cost data, name, archived
   * @request PATCH:/public/v1/apps/{app_token}/trackers/{link_token}
   * @secure
   */
  export namespace UpdateLink {
    export type RequestParams = {
      /** @pattern ^[0-9A-Za-z]{12}$ */
      appToken: string;
      linkToken: string;
    };
    export type RequestQuery = {};
    export type RequestBody = {
      archived?: boolean;
      cost_data_enabled?: boolean;
      name?: string;
      partner_id?: number | null;
    };
    export type RequestHeaders = {};
    export type ResponseBody = UpdateLinkData;
  }
}

export namespace Cost {
  /**
   * @description Costs and prices on URLs by ID, in the order of its UTF-8 bytes, as long as they are kept. A page reads at most 5000 IDs, so it can have fewer items than `limit`, or none, before the end: `next` is null only on the last page. Send `Accept: text/csv` to get the page as CSV; its `Link` header has the next page. In CSV, an ID that a spreadsheet would run as a formula starts with an apostrophe.
   * @tags cost
   * @name ListCosts
   * @summary List your costs
   * @request GET:/cost
   * @secure
   */
  export namespace ListCosts {
    export type RequestParams = {};
    export type RequestQuery = {
      /** The page starts after this cursor */
      cursor?: string;
      /**
       * Items per page, 50 by default and at most 1,000
       * @min 1
       */
      limit?: number;
      /** Only costs in this state */
      match?: "matched" | "pending" | "lapsed" | "voided";
    };
    export type RequestBody = never;
    export type RequestHeaders = {};
    export type ResponseBody = ListCostsData;
  }

  /**
   * No description
   * @tags cost
   * @name ReadCost
   * @summary Read one of your costs
   * @request GET:/cost/{cost_id}
   * @secure
   */
  export namespace ReadCost {
    export type RequestParams = {
      costId: string;
    };
    export type RequestQuery = {};
    export type RequestBody = never;
    export type RequestHeaders = {};
    export type ResponseBody = ReadCostData;
  }

  /**
   * @description Judges everything that was sent with the test credential. With `Accept: text/html` the response is a web page.
   * @tags cost
   * @name ReadRound
   * @summary Read the report of your integration round
   * @request GET:/cost/round
   * @secure
   */
  export namespace ReadRound {
    export type RequestParams = {};
    export type RequestQuery = {};
    export type RequestBody = never;
    export type RequestHeaders = {};
    export type ResponseBody = ReadRoundData;
  }

  /**
   * @description Each cost has its own result, in order. An invalid cost does not reject the others. As `text/csv`, the body is UTF-8 with or without a byte order mark, with commas and a header row of parameter names; `cost_amount` can be empty or its column absent. With `Accept: text/csv` the results are CSV too: `row,cost_id,status,code,message,match,duplicate`, where row 1 is the first cost. Only the first 10 costs with the same ID are accepted.
   * @tags cost
   * @name SubmitBatch
   * @summary Send up to 1,000 costs in one request
   * @request POST:/cost/batch
   * @secure
   */
  export namespace SubmitBatch {
    export type RequestParams = {};
    export type RequestQuery = {};
    export type RequestBody = {
      /**
       * @maxItems 1000
       * @minItems 1
       */
      costs: {
        cost_amount?: string;
        cost_currency: string;
        cost_id: string;
        cost_type: string;
        tag: string;
      }[];
    };
    export type RequestHeaders = {};
    export type ResponseBody = SubmitBatchData;
  }

  /**
   * @description Send each parameter in the query string, in the form body, or in both with the same value. cost_type, cost_currency, cost_id and tag are required. 200 means that the cost is committed.
   * @tags cost
   * @name SubmitCost
   * @summary Send the cost of a click or impression
   * @request POST:/cost
   * @secure
   */
  export namespace SubmitCost {
    export type RequestParams = {};
    export type RequestQuery = {
      cost_amount?: string;
      cost_currency?: string;
      cost_id?: string;
      cost_type?: string;
      tag?: string;
    };
    export type RequestBody = {
      cost_amount?: string;
      cost_currency?: string;
      cost_id?: string;
      cost_type?: string;
      tag?: string;
    };
    export type RequestHeaders = {};
    export type ResponseBody = SubmitCostData;
  }

  /**
   * @description The cost, or the price on the URL of its click or impression, no longer counts. Sending the same values again does not bring it back; a call with other values counts in its place. Possible until seven days after the engagement, or until a pending cost lapses.
   * @tags cost
   * @name VoidCost
   * @summary Void one of your costs
   * @request POST:/cost/{cost_id}/void
   * @secure
   */
  export namespace VoidCost {
    export type RequestParams = {
      costId: string;
    };
    export type RequestQuery = {};
    export type RequestBody = never;
    export type RequestHeaders = {};
    export type ResponseBody = VoidCostData;
  }
}

export namespace Operator {
  /**
   * No description
   * @tags operator
   * @name AddMember
   * @summary Add a member to an app
   * @request POST:/operator/v1/apps/{token}/members
   * @secure
   */
  export namespace AddMember {
    export type RequestParams = {
      /** @pattern ^[0-9A-Za-z]{12}$ */
      token: string;
    };
    export type RequestQuery = {};
    export type RequestBody = {
      /** @exclusiveMin 0 */
      user_id: number;
    };
    export type RequestHeaders = {};
    export type ResponseBody = AddMemberData;
  }

  /**
   * No description
   * @tags operator
   * @name ApproveRound
   * @summary Approve a round and make its cost types live
   * @request POST:/operator/v1/rounds/{id}/approve
   * @secure
   */
  export namespace ApproveRound {
    export type RequestParams = {
      /** @min 1 */
      id: number;
    };
    export type RequestQuery = {};
    export type RequestBody = never;
    export type RequestHeaders = {};
    export type ResponseBody = ApproveRoundData;
  }

  /**
   * No description
   * @tags operator
   * @name CloseRound
   * @summary Close a round without approval
   * @request POST:/operator/v1/rounds/{id}/close
   * @secure
   */
  export namespace CloseRound {
    export type RequestParams = {
      /** @min 1 */
      id: number;
    };
    export type RequestQuery = {};
    export type RequestBody = never;
    export type RequestHeaders = {};
    export type ResponseBody = CloseRoundData;
  }

  /**
   * No description
   * @tags operator
   * @name CreateApp
   * @summary Create an app
   * @request POST:/operator/v1/apps
   * @secure
   */
  export namespace CreateApp {
    export type RequestParams = {};
    export type RequestQuery = {};
    export type RequestBody = {
      android_url?: string | null;
      default_url: string;
      ios_url?: string | null;
      name: string;
      /** @maxItems 100 */
      redirect_hosts?: string[];
      /** @maxItems 100 */
      redirect_schemes?: string[];
    };
    export type RequestHeaders = {};
    export type ResponseBody = CreateAppData;
  }

  /**
   * No description
   * @tags operator
   * @name CreateCredential
   * @summary Create a cost credential
   * @request POST:/operator/v1/credentials
   * @secure
   */
  export namespace CreateCredential {
    export type RequestParams = {};
    export type RequestQuery = {};
    export type RequestBody = {
      /** @minItems 1 */
      cost_types: ("cpc" | "cpi" | "cpe" | "cpm")[];
      mode: "live" | "test";
      /** @exclusiveMin 0 */
      partner_id: number;
    };
    export type RequestHeaders = {};
    export type ResponseBody = CreateCredentialData;
  }

  /**
   * No description
   * @tags operator
   * @name CreatePartner
   * @summary Create a partner
   * @request POST:/operator/v1/partners
   * @secure
   */
  export namespace CreatePartner {
    export type RequestParams = {};
    export type RequestQuery = {};
    export type RequestBody = {
      /** @default "" */
      click_parameters?: string;
      /** @default "" */
      cost_parameters?: string;
      display_name: string;
      /** @default "" */
      impression_parameters?: string;
      max_url_amount?: string;
      /** @default false */
      server_to_server?: boolean;
    };
    export type RequestHeaders = {};
    export type ResponseBody = CreatePartnerData;
  }

  /**
   * No description
   * @tags operator
   * @name CreateUser
   * @summary Create a user with a temporary password or for single sign-on
   * @request POST:/operator/v1/users
   * @secure
   */
  export namespace CreateUser {
    export type RequestParams = {};
    export type RequestQuery = {};
    export type RequestBody = {
      email: string;
      /** @default "member" */
      role?: "member" | "operator";
      /** @default "password" */
      sign_in?: "password" | "sso";
    };
    export type RequestHeaders = {};
    export type ResponseBody = CreateUserData;
  }

  /**
   * No description
   * @tags operator
   * @name DismissFinding
   * @summary Dismiss an open mismatch
   * @request POST:/operator/v1/rounds/{id}/dismissals
   * @secure
   */
  export namespace DismissFinding {
    export type RequestParams = {
      /** @min 1 */
      id: number;
    };
    export type RequestQuery = {};
    export type RequestBody = {
      /** The `finding` of the report, for example `entry 9` or `click corsair-click-0003` */
      finding: string;
    };
    export type RequestHeaders = {};
    export type ResponseBody = DismissFindingData;
  }

  /**
   * No description
   * @tags operator
   * @name IssueToken
   * @summary Replace a user's API token
   * @request POST:/operator/v1/users/{id}/token
   * @secure
   */
  export namespace IssueToken {
    export type RequestParams = {
      /** @min 1 */
      id: number;
    };
    export type RequestQuery = {};
    export type RequestBody = never;
    export type RequestHeaders = {};
    export type ResponseBody = IssueTokenData;
  }

  /**
   * No description
   * @tags operator
   * @name ListApps
   * @summary List apps
   * @request GET:/operator/v1/apps
   * @secure
   */
  export namespace ListApps {
    export type RequestParams = {};
    export type RequestQuery = {
      /** The page starts after this cursor */
      after?: string;
      /** The page ends before this cursor */
      before?: string;
      /** Another name for after */
      cursor?: string;
      /**
       * Items per page, 50 by default and at most 1,000
       * @min 1
       */
      limit?: number;
    };
    export type RequestBody = never;
    export type RequestHeaders = {};
    export type ResponseBody = ListAppsData;
  }

  /**
   * No description
   * @tags operator
   * @name ListAudit
   * @summary List audit log entries
   * @request GET:/operator/v1/audit
   * @secure
   */
  export namespace ListAudit {
    export type RequestParams = {};
    export type RequestQuery = {
      /** The page starts after this cursor */
      after?: string;
      /** The page ends before this cursor */
      before?: string;
      /** Another name for after */
      cursor?: string;
      /**
       * Items per page, 50 by default and at most 1,000
       * @min 1
       */
      limit?: number;
    };
    export type RequestBody = never;
    export type RequestHeaders = {};
    export type ResponseBody = ListAuditData;
  }

  /**
   * No description
   * @tags operator
   * @name ListCredentials
   * @summary List cost credentials
   * @request GET:/operator/v1/credentials
   * @secure
   */
  export namespace ListCredentials {
    export type RequestParams = {};
    export type RequestQuery = {
      /** The page starts after this cursor */
      after?: string;
      /** The page ends before this cursor */
      before?: string;
      /** Another name for after */
      cursor?: string;
      /**
       * Items per page, 50 by default and at most 1,000
       * @min 1
       */
      limit?: number;
      /** @min 1 */
      partner_id?: number;
    };
    export type RequestBody = never;
    export type RequestHeaders = {};
    export type ResponseBody = ListCredentialsData;
  }

  /**
   * No description
   * @tags operator
   * @name ListMembers
   * @summary List the members of an app
   * @request GET:/operator/v1/apps/{token}/members
   * @secure
   */
  export namespace ListMembers {
    export type RequestParams = {
      /** @pattern ^[0-9A-Za-z]{12}$ */
      token: string;
    };
    export type RequestQuery = {
      /** The page starts after this cursor */
      after?: string;
      /** The page ends before this cursor */
      before?: string;
      /** Another name for after */
      cursor?: string;
      /**
       * Items per page, 50 by default and at most 1,000
       * @min 1
       */
      limit?: number;
    };
    export type RequestBody = never;
    export type RequestHeaders = {};
    export type ResponseBody = ListMembersData;
  }

  /**
   * No description
   * @tags operator
   * @name ListPartnerRecords
   * @summary List partners with their templates
   * @request GET:/operator/v1/partners
   * @secure
   */
  export namespace ListPartnerRecords {
    export type RequestParams = {};
    export type RequestQuery = {
      /** The page starts after this cursor */
      after?: string;
      /** The page ends before this cursor */
      before?: string;
      /** Another name for after */
      cursor?: string;
      /**
       * Items per page, 50 by default and at most 1,000
       * @min 1
       */
      limit?: number;
    };
    export type RequestBody = never;
    export type RequestHeaders = {};
    export type ResponseBody = ListPartnerRecordsData;
  }

  /**
   * No description
   * @tags operator
   * @name ListRoundEntries
   * @summary List the entries of a round
   * @request GET:/operator/v1/rounds/{id}/entries
   * @secure
   */
  export namespace ListRoundEntries {
    export type RequestParams = {
      /** @min 1 */
      id: number;
    };
    export type RequestQuery = {
      /** The page starts after this cursor */
      after?: string;
      /** The page ends before this cursor */
      before?: string;
      /** Another name for after */
      cursor?: string;
      /**
       * Items per page, 50 by default and at most 1,000
       * @min 1
       */
      limit?: number;
    };
    export type RequestBody = never;
    export type RequestHeaders = {};
    export type ResponseBody = ListRoundEntriesData;
  }

  /**
   * No description
   * @tags operator
   * @name ListRounds
   * @summary List integration rounds
   * @request GET:/operator/v1/rounds
   * @secure
   */
  export namespace ListRounds {
    export type RequestParams = {};
    export type RequestQuery = {
      /** The page starts after this cursor */
      after?: string;
      /** The page ends before this cursor */
      before?: string;
      /** Another name for after */
      cursor?: string;
      /**
       * Items per page, 50 by default and at most 1,000
       * @min 1
       */
      limit?: number;
      /** @min 1 */
      partner_id?: number;
    };
    export type RequestBody = never;
    export type RequestHeaders = {};
    export type ResponseBody = ListRoundsData;
  }

  /**
   * No description
   * @tags operator
   * @name ListUsers
   * @summary List users
   * @request GET:/operator/v1/users
   * @secure
   */
  export namespace ListUsers {
    export type RequestParams = {};
    export type RequestQuery = {
      /** The page starts after this cursor */
      after?: string;
      /** The page ends before this cursor */
      before?: string;
      /** Another name for after */
      cursor?: string;
      /**
       * Items per page, 50 by default and at most 1,000
       * @min 1
       */
      limit?: number;
    };
    export type RequestBody = never;
    export type RequestHeaders = {};
    export type ResponseBody = ListUsersData;
  }

  /**
   * No description
   * @tags operator
   * @name OpenRound
   * @summary Open an integration round and create its test credential
   * @request POST:/operator/v1/rounds
   * @secure
   */
  export namespace OpenRound {
    export type RequestParams = {};
    export type RequestQuery = {};
    export type RequestBody = {
      /** @minItems 1 */
      cost_types: ("cpc" | "cpi" | "cpe" | "cpm")[];
      /** @exclusiveMin 0 */
      partner_id: number;
    };
    export type RequestHeaders = {};
    export type ResponseBody = OpenRoundData;
  }

  /**
   * No description
   * @tags operator
   * @name ReadApp
   * @summary Get an app
   * @request GET:/operator/v1/apps/{token}
   * @secure
   */
  export namespace ReadApp {
    export type RequestParams = {
      /** @pattern ^[0-9A-Za-z]{12}$ */
      token: string;
    };
    export type RequestQuery = {};
    export type RequestBody = never;
    export type RequestHeaders = {};
    export type ResponseBody = ReadAppData;
  }

  /**
   * No description
   * @tags operator
   * @name ReadPartner
   * @summary Get a partner
   * @request GET:/operator/v1/partners/{id}
   * @secure
   */
  export namespace ReadPartner {
    export type RequestParams = {
      /** @min 1 */
      id: number;
    };
    export type RequestQuery = {};
    export type RequestBody = never;
    export type RequestHeaders = {};
    export type ResponseBody = ReadPartnerData;
  }

  /**
   * No description
   * @tags operator
   * @name ReadRoundReport
   * @summary Get a round with its report
   * @request GET:/operator/v1/rounds/{id}
   * @secure
   */
  export namespace ReadRoundReport {
    export type RequestParams = {
      /** @min 1 */
      id: number;
    };
    export type RequestQuery = {};
    export type RequestBody = never;
    export type RequestHeaders = {};
    export type ResponseBody = ReadRoundReportData;
  }

  /**
   * No description
   * @tags operator
   * @name ReadUser
   * @summary Get a user
   * @request GET:/operator/v1/users/{id}
   * @secure
   */
  export namespace ReadUser {
    export type RequestParams = {
      /** @min 1 */
      id: number;
    };
    export type RequestQuery = {};
    export type RequestBody = never;
    export type RequestHeaders = {};
    export type ResponseBody = ReadUserData;
  }

  /**
   * No description
   * @tags operator
   * @name RemoveMember
   * @summary Remove a member from an app
   * @request DELETE:/operator/v1/apps/{token}/members/{user_id}
   * @secure
   */
  export namespace RemoveMember {
    export type RequestParams = {
      /** @pattern ^[0-9A-Za-z]{12}$ */
      token: string;
      /** @min 1 */
      userId: number;
    };
    export type RequestQuery = {};
    export type RequestBody = never;
    export type RequestHeaders = {};
    export type ResponseBody = RemoveMemberData;
  }

  /**
   * No description
   * @tags operator
   * @name ResetPassword
   * @summary Reset a user's password to a temporary password
   * @request POST:/operator/v1/users/{id}/password
   * @secure
   */
  export namespace ResetPassword {
    export type RequestParams = {
      /** @min 1 */
      id: number;
    };
    export type RequestQuery = {};
    export type RequestBody = never;
    export type RequestHeaders = {};
    export type ResponseBody = ResetPasswordData;
  }

  /**
   * No description
   * @tags operator
   * @name RevokeCredential
   * @summary Revoke a cost credential immediately
   * @request POST:/operator/v1/credentials/{id}/revoke
   * @secure
   */
  export namespace RevokeCredential {
    export type RequestParams = {
      /** @min 1 */
      id: number;
    };
    export type RequestQuery = {};
    export type RequestBody = never;
    export type RequestHeaders = {};
    export type ResponseBody = RevokeCredentialData;
  }

  /**
   * No description
   * @tags operator
   * @name UpdateApp
   * @summary Update an app and its destinations
   * @request PATCH:/operator/v1/apps/{token}
   * @secure
   */
  export namespace UpdateApp {
    export type RequestParams = {
      /** @pattern ^[0-9A-Za-z]{12}$ */
      token: string;
    };
    export type RequestQuery = {};
    export type RequestBody = {
      android_url?: string | null;
      default_url?: string;
      ios_url?: string | null;
      name?: string;
      /** @maxItems 100 */
      redirect_hosts?: string[];
      /** @maxItems 100 */
      redirect_schemes?: string[];
    };
    export type RequestHeaders = {};
    export type ResponseBody = UpdateAppData;
  }

  /**
   * No description
   * @tags operator
   * @name UpdatePartner
   * @summary Update a partner's name and templates, and stop or resume its costs
   * @request PATCH:/operator/v1/partners/{id}
   * @secure
   */
  export namespace UpdatePartner {
    export type RequestParams = {
      /** @min 1 */
      id: number;
    };
    export type RequestQuery = {};
    export type RequestBody = {
      click_parameters?: string;
      cost_parameters?: string;
      display_name?: string;
      impression_parameters?: string;
      max_url_amount?: string;
      server_to_server?: boolean;
      /** true: costs from this partner are rejected, and its clicks and impressions are recorded with cost data off for good. Costs that count already are kept */
      stopped?: boolean;
    };
    export type RequestHeaders = {};
    export type ResponseBody = UpdatePartnerData;
  }

  /**
   * No description
   * @tags operator
   * @name UpdateUser
   * @summary Update a user: change the role or sign-in method, disable or enable
   * @request PATCH:/operator/v1/users/{id}
   * @secure
   */
  export namespace UpdateUser {
    export type RequestParams = {
      /** @min 1 */
      id: number;
    };
    export type RequestQuery = {};
    export type RequestBody = {
      disabled?: boolean;
      role?: "member" | "operator";
      sign_in?: "sso";
    };
    export type RequestHeaders = {};
    export type ResponseBody = UpdateUserData;
  }
}

export namespace Healthz {
  /**
   * No description
   * @tags site
   * @name ReadLiveness
   * @summary Check that the Worker runs, and read its version
   * @request GET:/healthz
   */
  export namespace ReadLiveness {
    export type RequestParams = {};
    export type RequestQuery = {};
    export type RequestBody = never;
    export type RequestHeaders = {};
    export type ResponseBody = ReadLivenessData;
  }
}

export namespace Readyz {
  /**
   * No description
   * @tags site
   * @name ReadReadiness
   * @summary Check that the databases and namespaces are ready
   * @request GET:/readyz
   */
  export namespace ReadReadiness {
    export type RequestParams = {};
    export type RequestQuery = {};
    export type RequestBody = never;
    export type RequestHeaders = {};
    export type ResponseBody = ReadReadinessData;
  }
}

export namespace Impression {
  /**
   * No description
   * @tags engagement
   * @name OpenImpression
   * @summary Record an impression
   * @request GET:/impression/{link_token}
   */
  export namespace OpenImpression {
    export type RequestParams = {
      linkToken: string;
    };
    export type RequestQuery = {
      /** 1: return JSON after the engagement is committed */
      s2s?: string;
      /** The sub-link of level 3, like campaign */
      adgroup?: string;
      /** The sub-link of level 2 to record under, if the partner's template has this parameter. Created if missing */
      campaign?: string;
      cost_amount?: string;
      cost_currency?: string;
      /** 12 to 256 characters. A cost with the same ID matches this engagement */
      cost_id?: string;
      cost_type?: string;
      /** The sub-link of level 4, like campaign */
      creative?: string;
    };
    export type RequestBody = never;
    export type RequestHeaders = {};
    export type ResponseBody = OpenImpressionData;
  }
}

export namespace LinkToken {
  /**
   * No description
   * @tags engagement
   * @name OpenLink
   * @summary Open a link: record a click and redirect
   * @request GET:/{link_token}
   */
  export namespace OpenLink {
    export type RequestParams = {
      linkToken: string;
    };
    export type RequestQuery = {
      /** 1: return JSON after the engagement is committed */
      s2s?: string;
      /** The sub-link of level 3, like campaign */
      adgroup?: string;
      /** The sub-link of level 2 to record under, if the partner's template has this parameter. Created if missing */
      campaign?: string;
      cost_amount?: string;
      cost_currency?: string;
      /** 12 to 256 characters. A cost with the same ID matches this engagement */
      cost_id?: string;
      cost_type?: string;
      /** The sub-link of level 4, like campaign */
      creative?: string;
      /** Redirect target, used if the app allows its scheme and host */
      deep_link?: string;
      /** Redirect target, used if the app allows its scheme and host */
      deeplink?: string;
      /** Redirect target, used if the app allows its scheme and host */
      fallback?: string;
      /** Redirect target, used if the app allows its scheme and host */
      redirect?: string;
    };
    export type RequestBody = never;
    export type RequestHeaders = {};
    export type ResponseBody = OpenLinkData;
  }
}
