import type { Fix, PlannedClaim } from '../plans.ts';

/** Why a planned node is what it is, for people; empty for plans that do not tell. */
export function choiceText(planned: PlannedClaim): string {
  return planned.choice
    ? [
        poolText(planned, planned.choice),
        typesText(planned.choice),
        zoneText(planned, planned.choice),
      ].join(' ')
    : '';
}

type Choice = NonNullable<PlannedClaim['choice']>;

function poolText({ claim }: PlannedClaim, { weight, pools }: Choice): string {
  const [rival] = pools;
  if (!rival) return `No pool but ${claim.pool} takes these pods.`;
  const price = `${dollars(rival.hourlyUsd)}/h`;
  if (rival.weight > weight) {
    return `Pool ${rival.pool} goes before ${claim.pool}, but has no room within its limits.`;
  }
  return rival.weight < weight
    ? `Pool ${claim.pool} goes before ${rival.pool} by weight, where the node would cost ${price}.`
    : `Of equal weight is pool ${rival.pool}, where the node would cost ${price}.`;
}

const typesText = ({ types: { suiting, open } }: Choice): string =>
  suiting === open
    ? `All ${open} types that suit the pods hold them.`
    : `Of ${suiting} types that suit the pods, ${open} hold them all.`;

function zoneText({ cheapest: { zone } }: PlannedClaim, { zones, pinnedTo }: Choice): string {
  if (pinnedTo.includes(zone)) return `Rules between pods ask for ${zone}.`;
  const other = zones.find((one) => one.zone !== zone);
  return other
    ? `${zone} is the cheapest of ${zones.length} zones; ${other.zone} costs ${dollars(other.hourlyUsd)}/h.`
    : `Only ${zone} is open to them.`;
}

const dollars = (usd: number): string => `$${Number(usd.toPrecision(4))}`;

/** The change as a sentence: `raise limits.cpu of NodePool general to 52 (+$0.1632/h)`. */
export function fixText({ kind, object, path, from, to, hourlyUsd }: Fix): string {
  const [type = '', name = ''] = object.split('/');
  const cost = hourlyUsd > 0 ? ` (+$${hourlyUsd.toFixed(4)}/h)` : '';
  switch (kind) {
    case 'raise-limit':
      return `raise ${path.replace(/^spec\./, '')} of ${type} ${name} to ${to}${cost}`;
    case 'add-toleration':
      return `let ${type} ${name} tolerate ${to}${cost}`;
    case 'rename-label':
      return `select ${to} instead of ${from ?? 'it'} in ${path} of ${type} ${name}${cost}`;
    case 'drop-requirement':
      return `drop ${path} of ${type} ${name}: ${from}${cost}`;
    case 'add-label':
      return `add label ${to} to ${path} of ${type} ${name}${cost}`;
    case 'create-volume-claim':
      return `create ${type} ${to}${cost}`;
    case 'wait':
      return `wait: EC2 is asked again at ${to}${cost}`;
    case 'allow-values':
    case 'lower-min-values':
      return `set ${path} of ${type} ${name} to ${to}${cost}`;
  }
}
