/** How the values of a chart are read and written. */
import {
  MONEY_SCALE,
  scaleMoney,
  showCompact,
  showCount,
  showMoney,
  showPercent,
  showPrice,
  showWholePercent,
} from "../locale.ts";

export interface Unit {
  /** The number of units in 1 on the scale. */
  scale: number;
  isWhole: boolean;
  show: (value: bigint) => string;
  /** The ticks, if they don't depend on the values. */
  ticks?: number[];
  /** The labels of ticks, for the step between them. */
  labels: (step: number) => (tick: number) => string;
}

export const countUnit: Unit = {
  scale: 1,
  isWhole: true,
  show: showCount,
  labels: () => showCompact,
};

export const moneyUnit = (currency: string): Unit => ({
  scale: MONEY_SCALE,
  isWhole: false,
  show: (value) => showMoney(value, currency),
  labels: (step) => scaleMoney(currency, step),
});

export const priceUnit = (currency: string): Unit => ({
  ...moneyUnit(currency),
  show: (value) => showPrice(value, currency),
});

export const percentUnit: Unit = {
  scale: MONEY_SCALE,
  isWhole: false,
  show: (value) => showPercent(Number(value) / MONEY_SCALE),
  ticks: [0, 0.5, 1],
  labels: () => showWholePercent,
};
