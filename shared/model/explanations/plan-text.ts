import type { Fix, PlannedClaim } from '../plans.ts';

/**
 * Explains the pool, the types and the zone of a planned node. Empty for plans that carry no
 * explanation.
 */
export function explainChoice(planned: PlannedClaim): string {
  return planned.choice
    ? [
        explainPool(planned, planned.choice),
        explainTypes(planned.choice),
        explainZone(planned, planned.choice),
        ...explainShare(planned, planned.choice),
        ...explainCommitment(planned.choice),
      ].join(' ')
    : '';
}

type Choice = NonNullable<PlannedClaim['choice']>;

function explainPool({ claim }: PlannedClaim, { weight, pools }: Choice): string {
  const [otherPool] = pools;
  if (!otherPool) return `No pool but ${claim.pool} takes these pods.`;
  const price = `${formatUsd(otherPool.hourlyUsd)}/h`;
  if (otherPool.weight > weight) {
    return `Pool ${otherPool.pool} goes before ${claim.pool}, but has no room within its limits.`;
  }
  return otherPool.weight < weight
    ? `Pool ${claim.pool} goes before ${otherPool.pool} by weight, where the node would cost ${price}.`
    : `Of equal weight is pool ${otherPool.pool}, where the node would cost ${price}.`;
}

const explainTypes = ({ types: { suiting, open } }: Choice): string =>
  suiting === open
    ? `All ${open} types that suit the pods hold them.`
    : `Of ${suiting} types that suit the pods, ${open} hold them all.`;

function explainZone({ cheapest: { zone } }: PlannedClaim, { zones, pinnedTo }: Choice): string {
  if (pinnedTo.includes(zone)) return `Rules between pods ask for ${zone}.`;
  const other = zones.find((one) => one.zone !== zone);
  return other
    ? `${zone} is the cheapest of ${zones.length} zones; ${other.zone} costs ${formatUsd(other.hourlyUsd)}/h.`
    : `Only ${zone} is open to them.`;
}

function explainShare({ claim }: PlannedClaim, { onDemandFor }: Choice): readonly string[] {
  if (!onDemandFor) return [];
  const owner =
    onDemandFor === 'pods' ? 'the workloads of its pods keep' : `pool ${claim.pool} keeps`;
  return [`It is on demand for the share that ${owner} there.`];
}

const explainCommitment = ({ commitment }: Choice): readonly string[] =>
  commitment === undefined ? [] : [`It costs nothing more: ${commitment} pays for it.`];

const formatUsd = (usd: number): string => `$${Number(usd.toPrecision(4))}`;

/** Formats what the change costs and changes besides: ` (+$0.1632/h, adds arm64 nodes, replaces 2 nodes)`. */
function formatConsequences({ hourlyUsd, adds = [], replacedNodes = 0 }: Fix): string {
  const consequences = [
    ...(hourlyUsd > 0 ? [`+$${hourlyUsd.toFixed(4)}/h`] : []),
    ...(adds.length > 0 ? [`adds ${adds.join(' and ')} nodes`] : []),
    ...(replacedNodes > 0 ? [`replaces ${replacedNodes} node${replacedNodes > 1 ? 's' : ''}`] : []),
  ];
  return consequences.length > 0 ? ` (${consequences.join(', ')})` : '';
}

/** Formats the change as a sentence: `raise limits.cpu of NodePool general to 52 (+$0.1632/h)`. */
export function formatFix(fix: Fix): string {
  const { kind, object, path, key, from, to } = fix;
  const [type = '', name = ''] = object.split('/');
  const cost = formatConsequences(fix);
  switch (kind) {
    case 'raise-limit':
      return `raise ${path.replace(/^spec\./, '')} of ${type} ${name} to ${to}${cost}`;
    case 'add-toleration':
      return `let ${type} ${name} tolerate ${to}${cost}`;
    case 'reduce-request':
      return `request at most ${to} ${path.split('.').at(-1) ?? ''} instead of ${from ?? 'more'} in ${type} ${name}${cost}`;
    case 'rename-label':
      return `select ${to} instead of ${from ?? 'it'} in ${path} of ${type} ${name}${cost}`;
    case 'drop-requirement':
      return `drop ${path} of ${type} ${name}: ${from}${cost}`;
    case 'correct-value':
      return `select ${key} ${to} instead of ${from ?? 'it'} in ${path} of ${type} ${name}${cost}`;
    case 'add-label':
      return `add label ${to} to ${path} of ${type} ${name}${cost}`;
    case 'create-volume-claim':
      return `create ${type} ${to}${cost}`;
    case 'correct-class':
      return from === undefined
        ? `create ${type} ${name}${cost}`
        : `correct ${path} of ${type} ${name}, so that it selects ${to}${cost}`;
    case 'wait':
      return path === 'hours'
        ? `wait: ${type} ${name} may launch nodes again at ${to}${cost}`
        : `wait: EC2 is asked again at ${to}${cost}`;
    case 'allow-values':
      return `set ${path} of ${type} ${name}${key === undefined ? '' : ` (${key})`} to ${to}${cost}`;
    case 'lower-min-values':
      return `set ${path} of ${type} ${name} to ${to}${cost}`;
  }
}
