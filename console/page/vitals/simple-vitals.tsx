import { totalOf } from '../../cost.ts';
import { formatCount, formatDuration, formatPercent, formatUsd } from '../../format.ts';
import type { TotalsView } from '../../views.ts';
import type { TotalsProps } from './vital.tsx';
import { DASH, Vital } from './vital.tsx';

/** Distance to the lower bound for these pods. */
export function BoundVital({ totals }: TotalsProps<TotalsView>) {
  const bound = totals?.bound;
  const above = bound && Math.max(0, totalOf(totals.hourlyUsd) / bound.hourlyUsd - 1);
  return (
    <Vital
      name="bound"
      title="Above the lower bound"
      figure={above === undefined ? DASH : formatPercent(above, above < 0.995 ? 1 : 0)}
      unit={bound && `bound ${formatUsd(bound.hourlyUsd)}`}
    >
      {bound?.text}
    </Vital>
  );
}

export function WaitVital({ totals }: TotalsProps<TotalsView>) {
  const wait = totals?.wait;
  return (
    <Vital
      name="wait"
      title="Pending to running"
      figure={wait ? formatDuration(wait.p50Ms) : DASH}
      unit="median"
    >
      {wait && `p99 ${formatDuration(wait.p99Ms)}, ${formatCount(wait.pods)} pods`}
    </Vital>
  );
}

export function DisruptionsVital({ totals }: TotalsProps<TotalsView>) {
  const { allowed, inProgress = 0, text } = totals?.disruptions ?? {};
  return (
    <Vital
      name="disruptions"
      title="Disruptions allowed now"
      figure={allowed === undefined ? DASH : formatCount(allowed)}
      unit={inProgress > 0 ? `${formatCount(inProgress)} in progress` : undefined}
    >
      {text}
    </Vital>
  );
}
