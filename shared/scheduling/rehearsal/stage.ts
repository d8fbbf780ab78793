import { HOSTNAME_LABEL } from '../../model/labels.ts';
import { matchesLabels, type Requirements, toRequirements } from '../../model/requirements.ts';
import { tolerates } from '../../model/taints.ts';
import { leastDemanding } from '../pods/alternatives.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import type { Problem } from '../problem.ts';
import { passes } from '../topology/running-pods.ts';
import type { ClassTopology, Topology, TopologyGroup } from '../topology/topology.ts';
import { askedColumns, toVector, type Vector } from '../vectors.ts';
import type { Host, HostKind } from './hosts.ts';

/** What kube-scheduler asks of a node for one pod of a class, whatever nodes there are. */
export interface Part {
  readonly cls: PodClass;
  readonly request: Vector;
  readonly asked: readonly number[];
  readonly topology: ClassTopology;
  readonly judge: (kind: HostKind) => Verdict;
}

interface Verdict {
  readonly suits: boolean;
  /** Weight of the preferred node terms that it meets. */
  readonly wished: number;
  /** Taints that are not tolerated, but only ask pods to stay away. */
  readonly disliked: number;
}

/** @param topology - with the pods that run counted, and none of the batch */
export function castOf(problem: Problem, classes: readonly PodClass[], topology: Topology): Part[] {
  return classes.map((cls) => {
    const [alternative] = leastDemanding(cls.spec);
    const request = toVector(problem.columns, cls.spec.requests);
    return {
      cls,
      request,
      asked: askedColumns(request),
      topology: topology.of(cls, alternative),
      judge: rememberedVerdicts(cls),
    };
  });
}

function rememberedVerdicts({ spec }: PodClass): (kind: HostKind) => Verdict {
  const known = new Map<HostKind, Verdict>();
  const terms = leastDemanding(spec).map(({ strict }) => strict);
  const wishes = spec.preferredNodeTerms.map(({ weight, term }) => ({
    weight,
    wanted: toRequirements(term),
  }));
  const judge = ({ labels, taints }: HostKind): Verdict => {
    const open = taints.filter((taint) => !spec.tolerations.some((one) => tolerates(one, taint)));
    const meets = (wanted: Requirements) => matchesLabels(wanted, labels);
    return {
      suits: open.every(({ effect }) => effect === 'PreferNoSchedule') && terms.some(meets),
      wished: wishes.reduce((sum, { weight, wanted }) => sum + (meets(wanted) ? weight : 0), 0),
      disliked: open.length,
    };
  };
  return (kind) => {
    const verdict = known.get(kind) ?? judge(kind);
    known.set(kind, verdict);
    return verdict;
  };
}

/** A topology rule on numbered hosts. */
export interface Tally {
  readonly group: TopologyGroup;
  /** Per host: the number of its domain; -1 where it has none. */
  readonly domainOf: Int32Array;
  /** Per host: whether pods there count, and the domain with them. */
  readonly counted: readonly boolean[];
  /** Numbers of the domains that some counted host has. */
  readonly present: readonly number[];
  /** Running pods that the rule selects, by domain. */
  readonly counts: Int32Array;
  /** Running pods that carry the rule, by domain. */
  readonly owners: Int32Array;
  /** Whether any run where no host is. */
  readonly elsewhere: boolean;
}

/** A part on numbered hosts. */
export interface Role extends Omit<Part, 'topology' | 'judge'> {
  /** Numbers of the hosts whose labels and taints suit it. */
  readonly hosts: Int32Array;
  /** Beside each of `hosts`: what its labels and taints are worth to the scheduler. */
  readonly liking: Float64Array;
  readonly owned: readonly { readonly tally: Tally; readonly selectsSelf: boolean }[];
  readonly barredBy: readonly Tally[];
  readonly countedBy: readonly Tally[];
}

/** Hosts, rules and classes, numbered once for every order in which pods may come. */
export interface Stage {
  readonly hosts: readonly Host[];
  readonly tallies: readonly Tally[];
  readonly roles: ReadonlyMap<PodClass, Role>;
}

export function setStage(cast: readonly Part[], hosts: readonly Host[]): Stage {
  const tallies = new Map<TopologyGroup, Tally>();
  const tallyOf = (group: TopologyGroup): Tally => {
    const known = tallies.get(group) ?? newTally(group, hosts);
    tallies.set(group, known);
    return known;
  };
  const roles = cast.map(({ topology, judge, ...part }): [PodClass, Role] => {
    const owned = topology.owned.map(({ group, selectsSelf }) => ({
      tally: tallyOf(group),
      selectsSelf,
    }));
    const barredBy = topology.barredBy.map(tallyOf);
    const countedBy = topology.countedBy.map(tallyOf);
    return [part.cls, { ...part, ...suitableHosts(judge, hosts), owned, barredBy, countedBy }];
  });
  return { hosts, tallies: [...tallies.values()], roles: new Map(roles) };
}

function newTally(group: TopologyGroup, hosts: readonly Host[]): Tally {
  const numbers = new Map<string, number>();
  const domainOf = Int32Array.from(hosts, ({ name, kind: { labels } }) => {
    const domain = labels[group.key] ?? (group.key === HOSTNAME_LABEL ? name : undefined);
    if (domain === undefined) return -1;
    const number = numbers.get(domain) ?? numbers.size;
    numbers.set(domain, number);
    return number;
  });
  const counted = hosts.map(({ kind }) => passes(group.filter, kind));
  const present = new Set<number>();
  domainOf.forEach((domain, host) => {
    if (domain >= 0 && counted[host]) present.add(domain);
  });
  const byNumber = (amounts: ReadonlyMap<string, number>) =>
    Int32Array.from(numbers.keys(), (domain) => amounts.get(domain) ?? 0);
  return {
    group,
    domainOf,
    counted,
    present: [...present],
    counts: byNumber(group.counts),
    owners: byNumber(group.owners),
    elsewhere: [...group.counts].some(([domain, count]) => count > 0 && !numbers.has(domain)),
  };
}

/** Weights of kube-scheduler's plugins. @see its default profile */
const NODE_AFFINITY_WEIGHT = 2;
const TAINT_WEIGHT = 3;

function suitableHosts(
  judge: Part['judge'],
  hosts: readonly Host[],
): Pick<Role, 'hosts' | 'liking'> {
  const suiting = hosts.flatMap(({ kind }, number) => {
    const verdict = judge(kind);
    return verdict.suits ? [{ number, ...verdict }] : [];
  });
  const most = suiting.reduce((largest, { wished }) => Math.max(largest, wished), 1);
  const worst = suiting.reduce((largest, { disliked }) => Math.max(largest, disliked), 1);
  return {
    hosts: Int32Array.from(suiting, ({ number }) => number),
    liking: Float64Array.from(
      suiting,
      ({ wished, disliked }) =>
        100 * ((NODE_AFFINITY_WEIGHT * wished) / most - (TAINT_WEIGHT * disliked) / worst),
    ),
  };
}
