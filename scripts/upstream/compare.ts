import { createHash } from 'node:crypto';
import type { Fact } from './fact.ts';

/** A fact in which Karpenter and Mortise differ. */
export interface Difference {
  /** Unique: kind, name and how it differs. */
  readonly id: string;
  /** Changes if Karpenter's side changes, so that a classified difference is looked at again. */
  readonly digest: string;
  readonly theirs?: string;
  readonly ours?: string;
}

const keyOf = ({ kind, name }: Fact): string => `${kind} ${name}`;

/** Things that Mortise may have for itself: its own keys and settings are no difference. */
const isOwn = ({ kind, name }: Fact): boolean =>
  ['setting', 'condition', 'event'].includes(kind) ||
  !/^(karpenter|NodePool|NodeClaim|NodeOverlay|EC2NodeClass|CapacityBuffer|KubeletConfiguration)/.test(name);

/** Lists all differences by name. */
export function compareFacts(theirs: readonly Fact[], ours: readonly Fact[]): readonly Difference[] {
  const ourFacts = new Map(ours.map((fact) => [keyOf(fact), fact]));
  const theirKeys = new Set(theirs.map(keyOf));
  const missingOrDifferent = theirs.flatMap((fact) => {
    const own = ourFacts.get(keyOf(fact));
    if (own && isEqual(fact, own)) return [];
    return own && fact.kind === 'metric' ? compareMetrics(fact, own) : [describe(keyOf(fact), fact, own)];
  });
  const onlyOurs = ours
    .filter((fact) => !theirKeys.has(keyOf(fact)) && !isOwn(fact))
    .map((fact) => describe(keyOf(fact), undefined, fact));
  return [...missingOrDifferent, ...onlyOurs].toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** A metric whose labels Karpenter computes is compared by its kind. */
const isEqual = (theirs: Fact, ours: Fact): boolean =>
  theirs.value === ours.value ||
  (theirs.kind === 'metric' && !theirs.value.includes(' of ') && ours.value.startsWith(`${theirs.value} of `));

/** One difference for each label, unless the kinds of the metrics differ. */
function compareMetrics(theirs: Fact, ours: Fact): readonly Difference[] {
  const [[kind, labels = ''], [ownKind, ownLabels = '']] = [theirs.value.split(' of '), ours.value.split(' of ')];
  if (kind !== ownKind) return [describe(keyOf(theirs), theirs, ours)];
  const toFacts = (list: string): readonly Fact[] =>
    list === 'no labels'
      ? []
      : list.split(', ').map((label) => ({ kind: 'label', name: `${theirs.name}{${label}}`, value: '' }));
  return compareFacts(toFacts(labels), toFacts(ownLabels));
}

function describe(key: string, theirs: Fact | undefined, ours: Fact | undefined): Difference {
  const how = ours === undefined ? 'absent' : theirs === undefined ? 'only ours' : 'differs';
  return {
    id: `${key}: ${how}`,
    digest: createHash('sha256')
      .update(theirs?.value ?? '')
      .digest('hex')
      .slice(0, 6),
    ...(theirs && { theirs: theirs.value }),
    ...(ours && { ours: ours.value }),
  };
}
