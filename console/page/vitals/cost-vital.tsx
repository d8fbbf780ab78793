import { totalOf } from '../../cost.ts';
import { formatMonthlyUsd, formatUsd } from '../../format.ts';
import type { TotalsView } from '../../views.ts';
import type { TotalsProps } from './vital.tsx';
import { DASH, Vital } from './vital.tsx';

export function CostVital({ totals }: TotalsProps<TotalsView>) {
  return (
    <Vital
      name="cost"
      title="Cost"
      figure={totals ? formatUsd(totalOf(totals.hourlyUsd)) : DASH}
      unit="per hour"
    >
      {totals && `${formatMonthlyUsd(totals.monthlyUsd)} a month at this rate`}
    </Vital>
  );
}
