import { HOSTNAME_LABEL, ZONE_LABEL } from '../../model/labels.ts';
import { allowsValue, EXISTS } from '../../model/requirement.ts';
import type { ExistingBin } from '../input/existing-nodes.ts';
import { type RoomBook, roomBook } from '../assignment/node-room-tracker.ts';
import { type Draft, type Drafting, openDraft, startDrafting } from '../packing/new-nodes/packing-state.ts';
import { putOn } from '../packing/new-nodes/joining.ts';
import type { Pins, Unit } from '../assignment/pod-groups.ts';
import { isIn, placeOf, unitOf, type Wanted } from '../assignment/relaxation-attempts.ts';
import type { Problem } from '../input/problem.ts';
import { type DomainChoice, domainChoice } from '../topology/domain-choice.ts';
import { hostRoom, onHost, recordOn } from '../topology/host-rules.ts';
import type { Topology, TopologyGroup } from '../topology/topology.ts';
import { type Claim, cheapestZone } from './claim.ts';
import type { Placement } from './foresee.ts';
import type { Wish } from './wishes.ts';

/** Where all pods of a run are, by our rules. */
export interface Traced {
  readonly placed: RoomBook['placed'];
  readonly drafting: Drafting;
  /** Of the pods on drafts, counted down to none. */
  readonly units: readonly Unit[];
}

/**
 * Goes through a run pod by pod and by our own rules, which ask for more than Karpenter's: a pod that
 * others count has to have a zone, and a node has it from the start.
 *
 * @returns undefined if any pod may not be where the run has it
 */
export function retrace(
  placements: readonly Placement[],
  topology: Topology,
  problem: Problem,
): Traced | undefined {
  const work: Work = {
    ...{ problem, topology, book: roomBook(), drafting: startDrafting(problem) },
    ...{ drafts: new Map(), steps: new Map(), awaited: new Set() },
  };
  const isWhole = placements.every((one) =>
    'bin' in one ? onBin(work, one.wish, one.bin) : onDraft(work, one.wish, one.claim),
  );
  if (!isWhole) return undefined;
  const units = [...work.steps.values()].flatMap((step) => [...step.units.values()]);
  return { placed: work.book.placed, drafting: work.drafting, units };
}

interface Work {
  readonly problem: Problem;
  readonly topology: Topology;
  readonly book: RoomBook;
  readonly drafting: Drafting;
  readonly drafts: Map<Claim, Draft>;
  readonly steps: Map<Wish, Step>;
  /** Affinity rules on the hostname whose pods wait for a new node: nobody founds another host. */
  readonly awaited: Set<TopologyGroup>;
}

/** What one wish comes to. */
interface Step extends Wanted {
  readonly choice: DomainChoice;
  /** By domains. */
  readonly units: Map<string, Unit>;
}

function stepOf({ steps, topology }: Work, wish: Wish): Step {
  const known = steps.get(wish);
  if (known) return known;
  const { cls, alternative, request } = wish;
  const rules = topology.of(cls, alternative);
  const step = {
    ...{ ordinal: cls.alternatives.indexOf(alternative), alternative, rules, request },
    choice: domainChoice(rules, alternative, () => 0),
    units: new Map<string, Unit>(),
  };
  steps.set(wish, step);
  return step;
}

/** Room, ports, taints and labels are as the run found them: nodes that run leave nothing open. */
function onBin(work: Work, wish: Wish, bin: ExistingBin): boolean {
  const { rules, choice } = stepOf(work, wish);
  const pins = choice.candidates().find((one) => isIn(bin, one));
  const host = bin.labels[HOSTNAME_LABEL] ?? bin.name;
  if (!pins || hostRoom(rules, onHost(host, work.awaited)) < 1) return false;
  work.book.put(bin, wish.cls, wish.request, 1);
  recordOn(rules, HOSTNAME_LABEL, host, 1);
  choice.record(pins, 1);
  return true;
}

function onDraft(work: Work, wish: Wish, claim: Claim): boolean {
  const { problem, drafting, drafts, awaited } = work;
  // Asked in one way, nodes that run refuse a pod that kube-scheduler binds there in another.
  if (problem.bins.length > 0 && hasOtherWays(wish)) return false;
  const step = stepOf(work, wish);
  const pins = step.choice.candidates().find(leadsTo(claim, problem));
  const unit = pins && unitAt(pins, step, wish, problem);
  const option = unit?.options.find(({ template }) => template === claim.template);
  const draft = drafts.get(claim) ?? (option && openDraft(drafting, option));
  if (!draft || !unit) return false;
  drafts.set(claim, draft);
  unit.count = 1;
  if (putOn(drafting, draft, unit) === 0) return false;
  step.choice.record(pins, 1);
  for (const group of step.rules.countedBy) {
    if (group.kind === 'affinity' && group.key === HOSTNAME_LABEL) awaited.add(group);
  }
  return true;
}

/** Whether another of several terms that it requires would do for the pod as well. */
const hasOtherWays = ({ cls, alternative }: Wish): boolean =>
  cls.alternatives.some((other) => other !== alternative && other.level === alternative.level);

function unitAt(pins: Pins, step: Step, { cls }: Wish, problem: Problem): Unit {
  const place = placeOf(pins);
  const unit = step.units.get(place) ?? unitOf(cls, step, pins, problem);
  step.units.set(place, unit);
  return unit;
}

/** Whether pins lead to the claim as it is in the end: in the zone where it is cheapest. */
function leadsTo(claim: Claim, problem: Problem): (pins: Pins) => boolean {
  const zone = cheapestZone(claim, problem);
  return (pins) =>
    [...pins].every(([key, domain]) =>
      key === ZONE_LABEL
        ? domain === zone
        : allowsValue(claim.requirements.get(key) ?? EXISTS, domain),
    );
}
