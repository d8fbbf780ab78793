import { type Allowance, allowancesOf, capacityAtMost, withinAllowance } from '../input/pool-limits.ts';
import type { Problem } from '../input/problem.ts';
import type { Bitset } from '../data-structures/bitset.ts';
import { minValuesOf } from '../instance-types/min-values.ts';
import type { Template } from '../instance-types/node-claim-templates.ts';
import { addTimes } from '../data-structures/resource-vectors.ts';
import { type Claim, emptyClaim, priceOf, put, type Run, restOf } from './claim.ts';
import type { Wish } from './wishes.ts';

/** Nodes that Karpenter is about to ask for. */
export interface OpenClaims {
  /** Puts a pod on the emptiest that takes it. */
  join(wish: Wish): Claim | undefined;
  /** Opens another for the pod, of the heaviest pool that can hold it. */
  open(wish: Wish): Claim | undefined;
  /** Of all, each at the cheapest offering that is left to it. */
  hourlyUsd(): number;
}

export function openClaims(run: Run): OpenClaims {
  const { problem } = run;
  const claims: Claim[] = [];
  const allowances = allowancesOf(problem);

  function openOf(template: Template, wish: Wish): Claim | undefined {
    const allowance = allowances.get(template.pool.name);
    if (allowance && allowance.nodes < 1) return undefined;
    const types = allowance
      ? withinAllowance(template.types, allowance, undefined, problem)
      : template.types;
    const claim = emptyClaim(template, types, `claim ${claims.length}`, problem);
    const rest = restOf(claim, wish, run);
    if (!rest) return undefined;
    claim.minValues = minValuesOf(template, rest.types, problem) ?? [];
    put(claim, wish, rest, run);
    claims.push(claim);
    if (allowance) charge(allowance, claim.types, problem);
    return claim;
  }

  return {
    join(wish) {
      // Sorted where they are, so that among equals the order of the last time stays.
      claims.sort((a, b) => a.pods - b.pods);
      for (const claim of claims) {
        const rest = restOf(claim, wish, run);
        if (!rest) continue;
        put(claim, wish, rest, run);
        return claim;
      }
      return undefined;
    },
    open(wish) {
      for (const template of wish.templates) {
        const claim = openOf(template, wish);
        if (claim) return claim;
      }
      return undefined;
    },
    hourlyUsd: () => claims.reduce((total, claim) => total + priceOf(claim, run), 0),
  };
}

/** A claim counts as the largest of all its types could, and is not counted again as it narrows. */
function charge(allowance: Allowance, types: Bitset, problem: Problem): void {
  addTimes(allowance.left, capacityAtMost(types, problem), -1);
  allowance.nodes -= 1;
}
