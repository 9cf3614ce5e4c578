/** How the values of a chart are read and written. */
import {
  MONEY_SCALE,
  scaleMoney,
  showAxisPercent,
  showCompact,
  showCount,
  showMoney,
  showPercent,
  showPrice,
} from "../locale.ts";
import type { Markup } from "../markup.ts";

export interface Unit {
  /** The number of units in 1 on the scale. */
  scale: number;
  isWhole: boolean;
  /** Whether the values don't add up, so that they are lines, on an axis for their range. */
  isRatio: boolean;
  /** Whether the values are of costs, which can still arrive for the last days. */
  isOfCosts: boolean;
  /** No value is higher, on the scale. */
  most?: number;
  show: (value: bigint) => string;
  /** For the total in the title of a chart, if tiles beside it have short amounts. */
  short?: (value: bigint) => Markup | string;
  /** The ticks of an axis from zero, if they don't depend on the values. */
  ticks?: number[];
  /** The labels of ticks, for the step between them. */
  labels: (step: number) => (tick: number) => string;
}

export const countUnit: Unit = {
  scale: 1,
  isWhole: true,
  isRatio: false,
  isOfCosts: false,
  show: showCount,
  labels: () => showCompact,
};

export const moneyUnit = (currency: string): Unit => ({
  scale: MONEY_SCALE,
  isWhole: false,
  isRatio: false,
  isOfCosts: true,
  show: (value) => showMoney(value, currency),
  labels: (step) => scaleMoney(currency, step),
});

export const priceUnit = (currency: string): Unit => ({
  ...moneyUnit(currency),
  isRatio: true,
  show: (value) => showPrice(value, currency),
});

export const percentUnit: Unit = {
  scale: MONEY_SCALE,
  isWhole: false,
  isRatio: true,
  isOfCosts: true,
  most: 1,
  show: (value) => showPercent(Number(value) / MONEY_SCALE),
  ticks: [0, 0.5, 1],
  labels: () => showAxisPercent,
};
