import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { isProvisionable, isTerminal } from '../../model/disruption-pods.ts';
import type { Offering } from '../../model/instance-type.ts';
import { NODEPOOL_LABEL } from '../../model/labels.ts';
import type { NodePool } from '../../model/node-pool.ts';
import type { PodSpec } from '../../model/pod.ts';
import { untoleratedTaint } from '../../model/taints.ts';
import { isDaemon } from '../../model/workload.ts';
import { type Alternative, alternativesOf } from '../pods/alternatives.ts';
import { forEachBit } from '../types/bitset.ts';
import { type OfferingIndex, offeringIndex } from '../types/offering-index.ts';
import { withReservations } from '../types/reservations.ts';
import { type Template, templatesOf } from '../types/templates.ts';
import { type TypeIndex, typeIndex } from '../types/type-index.ts';
import { withOverlays } from '../types/with-overlays.ts';
import { at, toVector, type Vector } from '../vectors.ts';
import { narrowTemplate } from './narrowing.ts';

/**
 * What the cluster's pods cost per hour at the very least: no set of nodes that the pools allow can
 * hold them for less at these prices.
 *
 * For any weights of the resources, a node costs at least what it gives (weighed) times the lowest
 * price per weighed unit among the types that its pods may use. Summed over the pods, weighed
 * requests times the lowest such price of each pod's own types therefore bound the bill from below;
 * the best of several weightings counts. DaemonSets, spread and shortages would raise it: leaving
 * them out keeps it a bound.
 */
export function lowerBoundHourlyUsd(observed: ClusterSnapshot): number {
  const snapshot = withReservations(withOverlays(observed));
  const market = marketOf(snapshot);
  const totals = new Float64Array(market.weightings.length);
  for (const [spec, count] of countedSpecs(snapshot)) {
    const floors = market.floorsOf(spec);
    for (let weighting = 0; weighting < totals.length; weighting++) {
      totals[weighting] = at(totals, weighting) + count * at(floors, weighting);
    }
  }
  return Math.max(0, ...totals);
}

/** Pods that our nodes hold or will have to; equal templates are counted, not listed. */
function countedSpecs(snapshot: ClusterSnapshot): Map<PodSpec, number> {
  const ours = new Set(
    snapshot.nodes.filter(({ labels }) => labels[NODEPOOL_LABEL]).map(({ name }) => name),
  );
  const counts = new Map<PodSpec, number>();
  for (const pod of snapshot.pods) {
    const here = pod.nodeName === undefined ? isProvisionable(pod) : ours.has(pod.nodeName);
    if (here && !isTerminal(pod) && !isDaemon(pod)) {
      counts.set(pod.spec, (counts.get(pod.spec) ?? 0) + 1);
    }
  }
  return counts;
}

/** Prices as they stand, with the floor of each kind of pod remembered. */
interface Market {
  readonly pools: readonly NodePool[];
  readonly index: TypeIndex;
  readonly weightings: readonly Vector[];
  /** The least that one such pod can cost under each weighting; 0 where no type may hold it. */
  floorsOf(spec: PodSpec): Vector;
}

const markets = new WeakMap<readonly Offering[], Market>();

function marketOf(snapshot: ClusterSnapshot): Market {
  const known = markets.get(snapshot.offerings);
  const index = typeIndex(snapshot.instanceTypes);
  if (known?.pools === snapshot.pools && known.index === index) return known;
  const market = openMarket(snapshot, index);
  markets.set(snapshot.offerings, market);
  return market;
}

function openMarket(snapshot: ClusterSnapshot, index: TypeIndex): Market {
  // Run-dry offerings are counted in: they come back, and the bound must not jump.
  const offerings = offeringIndex(index, snapshot.offerings, [], snapshot.takenAt);
  const { usable } = templatesOf({ ...snapshot, daemonSets: [] }, index, offerings, index.columns);
  const weightings = weightingsOf(index);
  const floors = new WeakMap<PodSpec, Vector>();
  return {
    pools: snapshot.pools,
    index,
    weightings,
    floorsOf(spec) {
      let known = floors.get(spec);
      if (!known) {
        known = floorsOf(spec, usable, weightings, index, offerings);
        floors.set(spec, known);
      }
      return known;
    },
  };
}

/** How finely CPU is weighed against memory. */
const STEPS = 16;

/** CPU against memory in steps, then each other resource alone. */
function weightingsOf({ columns, allocatable }: TypeIndex): Vector[] {
  // Scaled by what types have, so that the steps cover machines from lean to rich in memory.
  const scale = columns.names.map((_, column) =>
    allocatable.reduce((total, vector) => total + at(vector, column), 0),
  );
  const unit = (shares: Readonly<Record<string, number>>): Vector =>
    Float64Array.from(columns.names, (name, column) => (shares[name] ?? 0) / (scale[column] || 1));
  const mixes = Array.from({ length: STEPS + 1 }, (_, step) =>
    unit({ cpu: step / STEPS, memory: 1 - step / STEPS }),
  );
  return [...mixes, ...columns.names.slice(2).map((name) => unit({ [name]: 1 }))];
}

function floorsOf(
  spec: PodSpec,
  templates: readonly Template[],
  weightings: readonly Vector[],
  index: TypeIndex,
  offerings: OfferingIndex,
): Vector {
  const lowest = new Float64Array(weightings.length).fill(Infinity);
  for (const alternative of alternativesOf(spec)) {
    for (const template of templates) {
      lowerBy(lowest, template, alternative, weightings, index, offerings);
    }
  }
  const request = toVector(index.columns, spec.requests);
  return lowest.map((usd, weighting) =>
    usd < Infinity ? usd * weigh(request, weightings[weighting]) : 0,
  );
}

function lowerBy(
  lowest: Vector,
  template: Template,
  alternative: Alternative,
  weightings: readonly Vector[],
  index: TypeIndex,
  offerings: OfferingIndex,
): void {
  if (untoleratedTaint(template.pool.taints, alternative.tolerations)) return;
  const narrowing = narrowTemplate(template, alternative.strict, index, offerings.zones);
  if (narrowing.outcome === 'conflict') return;
  const { types, where } = narrowing.narrowed;
  forEachBit(types, (type) => {
    const usd = offerings.cheapestUsd(type, where);
    weightings.forEach((weights, weighting) => {
      const worth = weigh(index.allocatable[type], weights);
      if (worth > 0) lowest[weighting] = Math.min(at(lowest, weighting), usd / worth);
    });
  });
}

function weigh(amounts: Vector | undefined, weights: Vector | undefined): number {
  let total = 0;
  if (!amounts || !weights) return total;
  for (let column = 0; column < weights.length; column++) {
    total += at(amounts, column) * at(weights, column);
  }
  return total;
}
