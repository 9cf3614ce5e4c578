/** The names in the large app. A long one without a place to break, and letters from right to left, are hard for a page. */

export const PARTNER_NAMES = [
  ...[
    "Northwind Ads",
    "Überregional Medien GmbH & Co. KG",
    "شبكة الخليج للإعلان",
    "רשת הפרסום הגדולה",
    "旅行アドネットワーク",
  ],
  ...["Blueshift Performance", "Voyage Média", "Kairos DSP", "Pulse Rewarded Video", "Meridian Search"],
  "Internationalewerbevermarktungsgesellschaftfuermobileanwendungen",
  ...["Tern & Co.", "Skylark Social", "Halcyon Native", "Quarry Exchange", "Ember Mobile", "Łódź Media 🚀"],
  ...[
    "Cobalt Video",
    "Pinecone Ads",
    "Aurora CTV",
    "Drift Affiliates",
    "Harbor Push",
    "Saffron Audio",
    "Zephyr OEM",
  ],
];
export const WITHOUT_PARTNER = ["Newsletter and loyalty program", "Airport posters (QR)"];
export const CAMPAIGN_NAMES = [
  ...[
    "Winter sun",
    "City breaks",
    "Last minute",
    "Familienurlaub am Mittelmeer 2026/27",
    "حملة الصيف للرحلات",
  ],
  ...[
    "חופשה אחרונה לפני החגים",
    "冬の温泉旅行キャンペーン",
    "Islands 🏝 and beaches 🌊",
    "Retargeting: abandoned searches, all markets",
  ],
  ...["Brand", "Flights_DE_AT_CH_prospecting_value_optimized_2026Q4", "Hotels", "Ski", "Weekend"],
];
export const ADGROUP_NAMES = [
  "iOS",
  "Android",
  "Lookalike 1%",
  "Frequent flyers, 30 days",
  "Exact match",
  "東京",
  "الرياض",
];
export const CREATIVE_NAMES = [
  ...["Video 15s", "Video 30s", "Carousel", "Banner 320×50", "Playable", "Story", "Native headline B"],
  "Interstitial_portrait_1080x1920_summer_v12_final_approved",
];
