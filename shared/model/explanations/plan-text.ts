import type { Fix, FixChange, PlannedClaim } from '../plans.ts';

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
  const owner = onDemandFor === 'pods' ? 'the workloads of its pods keep' : `pool ${claim.pool} keeps`;
  return [`It is on demand for the share that ${owner} there.`];
}

const explainCommitment = ({ commitment }: Choice): readonly string[] =>
  commitment === undefined ? [] : [`It costs nothing more: ${commitment} pays for it.`];

const formatUsd = (usd: number): string => `$${Number(usd.toPrecision(4))}`;

/**
 * Formats what the change costs and changes besides: ` (m6g.xlarge spot, +$0.1632/h, adds arm64 nodes, replaces
 * 2 nodes)`.
 */
function formatConsequences({ launches, hourlyUsd, adds = [], ...fix }: Fix): string {
  const replaced = Math.max(0, ...listChanges(fix).map(({ replacedNodes = 0 }) => replacedNodes));
  const consequences = [
    ...(launches === undefined ? [] : [launches]),
    ...(hourlyUsd > 0 ? [`+$${hourlyUsd.toFixed(4)}/h`] : []),
    ...(adds.length > 0 ? [`adds ${adds.join(' and ')} nodes`] : []),
    ...(replaced > 0 ? [`replaces ${replaced} node${replaced > 1 ? 's' : ''}`] : []),
  ];
  return consequences.length > 0 ? ` (${consequences.join(', ')})` : '';
}

/** The changes of a fix, in the order in which a user makes them. */
export const listChanges = <Change extends FixChange>({ and = [], ...change }: Change & Pick<Fix, 'and'>) =>
  [change, ...and] as const;

/** Formats the changes as a sentence: `raise limits.cpu of NodePool general to 52 (m5.xlarge spot, +$0.1632/h)`. */
export const formatFix = (fix: Fix): string =>
  `${listChanges(fix).map(formatChange).join(', and ')}${formatConsequences(fix)}`;

/** Formats one change, without its consequences. */
export function formatChange({ kind, object, path, key = '', operator, from = '', to }: FixChange): string {
  const named = object.replace('/', ' ');
  switch (kind) {
    case 'raise-limit':
      return `raise ${path.replace(/^spec\./, '')} of ${named} to ${to}`;
    case 'add-toleration':
      return `let ${named} tolerate ${to}`;
    case 'reduce-request':
      return `request at most ${to} ${path.split('.').at(-1) ?? ''} instead of ${from} in ${named}`;
    case 'rename-label':
      return `select ${to} instead of ${from} in ${named}`;
    case 'drop-requirement':
      return `drop the requirement ${from} of ${named}`;
    case 'correct-value':
      return `select ${key} ${to} instead of ${from} in ${named}`;
    case 'drop-selector':
      return `ask for no ${key} in ${named}`;
    case 'add-label':
      return `add label ${to} to the nodes of ${named}`;
    case 'create-volume-claim':
      return `create ${object.split('/')[0]} ${to}`;
    case 'rename-resource':
      return `request ${to} instead of ${from} in ${named}`;
    case 'lower-min-domains':
      return `ask for ${to} instead of ${from} domains of ${key} (minDomains) in ${named}`;
    case 'prefer-rule':
      return `prefer instead of require the ${formatRule(path)} over ${key} in ${named}`;
    case 'correct-storage-class':
      return `name StorageClass ${to} instead of ${from} in ${named}`;
    case 'change-class':
      return `set ${path.replace(/^spec\./, '')} of ${named} to ${to}`;
    case 'add-node-pool':
      return `add a NodePool without taints, such as a copy of ${from}: every NodePool has some`;
    case 'correct-class':
      return from === '' ? `create ${named}` : `correct ${path} of ${named}, so that it selects ${to}`;
    case 'wait':
      return path === 'hours' ? `wait: ${named} may launch nodes again at ${to}` : `wait: EC2 is asked again at ${to}`;
    case 'allow-values':
      return `allow ${key} ${formatValues(operator, to)} instead of ${formatValues(operator, from)} in ${named}`;
    case 'lower-min-values':
      return `ask for at least ${to} ${to === '1' ? 'value' : 'values'} of ${key} instead of ${from} in ${named}`;
  }
}

/** Names the rule at a path such as `spec.template.spec.topologySpreadConstraints[0]`. */
function formatRule(path: string): string {
  if (path.includes('topologySpreadConstraints')) return 'spread';
  return path.includes('podAntiAffinity') ? 'anti-affinity' : 'affinity';
}

const SIGNS: Readonly<Record<string, string>> = { Lt: '<', Lte: '<=', Gt: '>', Gte: '>=' };

/** Formats `[17]` of `Lt` as `< 17`, and values of other operators as `In [a, b]`. */
function formatValues(operator = 'In', values: string): string {
  const sign = SIGNS[operator];
  return sign === undefined ? `${operator} ${values}` : `${sign} ${values.slice(1, -1)}`;
}
