import type { NodeVerdict } from '../../../shared/model/plans.ts';
import type { Sentence } from '../../explanation.ts';
import { plural } from '../../format.ts';
import type { ObjectRef } from '../../views.ts';
import { reasonSentence } from '../facts.ts';

/** More nodes of one group are counted. */
const MAX_NAMED = 3;

/** Groups nodes by the code of the reason why they stay or go, the largest group first. */
export function groupStays(verdicts: readonly NodeVerdict[]): readonly Sentence[] {
  const groups = Map.groupBy(verdicts, ({ outcome, reason }) => `${outcome} ${reason.code}`);
  return [...groups.values()]
    .toSorted((a, b) => b.length - a.length || compare(a[0]?.claim, b[0]?.claim))
    .flatMap(toSentence);
}

const compare = (a = '', b = ''): number => (a < b ? -1 : 1);

function toSentence(members: readonly NodeVerdict[]): Sentence[] {
  const [first] = members;
  if (!first) return [];
  const named = members.slice(0, MAX_NAMED).map(({ claim }) => claim);
  const more = members.length - named.length;
  const names = `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const verb = first.outcome === 'stays' ? ['stays', 'stay'] : ['goes', 'go'];
  // Texts of one code differ in their details: a PodDisruptionBudget, a time.
  const example = members.length > 1 ? `such as ${first.claim}: ` : '';
  const text =
    members.length === 1
      ? `${names} ${verb[0]}: ${reasonSentence(first.reason)}.`
      : `${plural(members.length, 'node')} ${verb[1]} (${names}), ${example}${reasonSentence(first.reason)}.`;
  return [{ text, objects: named.map((name): ObjectRef => ({ kind: 'node', name })) }];
}
