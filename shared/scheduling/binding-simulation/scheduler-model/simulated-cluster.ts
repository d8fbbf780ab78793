import { HOSTNAME_LABEL } from '../../../model/labels.ts';
import { getOrCreate } from '../../../model/memo.ts';
import { countNodesToFind } from '../../../model/nodes/node-search.ts';
import { ownValue } from '../../../model/own-value.ts';
import { passesFilter } from '../../topology/running-pod-counts.ts';
import type { NodeFilter, TopologyRule } from '../../topology/topology-rules.ts';
import type { NodeKind, NodeModel } from './node-models.ts';
import type { NodeEvaluation, NodePreference, PodClassModel, PodClassModels } from './pod-class-models.ts';
import type { TrackedRule } from './pod-preferences.ts';

/** A topology rule with its counts, over numbered nodes and domains. */
export interface TopologyCounter {
  readonly rule: TopologyRule;
  /** By node: index of its domain; -1 if the node lacks the topology label. */
  readonly domainOf: Int32Array;
  /** The same, and -1 for nodes whose pods the rule does not count. */
  readonly countedDomainOf: Int32Array;
  /** Indices of the domains that at least one counted node has. */
  readonly presentDomains: Int32Array;
  /** Where the domains of the rule begin in the counts of all rules, and how many there are. */
  readonly firstDomain: number;
  readonly domainCount: number;
  /** True if the rule selects running pods in a domain without simulated nodes. */
  readonly hasPodsElsewhere: boolean;
}

/** The preferences of the pods of one class, by node. */
type NodePreferences = Readonly<Record<keyof NodePreference, Int32Array>>;

/** The score of a node that takes no pod of the class: it is not eligible, or too full. */
export const NO_ROOM = -1;

/** The nodes and rules before any pod of the batch is bound. All binding orders share it. */
export interface SimulatedCluster {
  readonly podClasses: PodClassModels;
  readonly nodes: readonly NodeModel[];
  /** The number of nodes that are compared for a pod, of those that pass all filters. */
  readonly nodesToFind: number;
  /** By index of the rule. */
  readonly counters: readonly TopologyCounter[];
  /** By rule and domain: running pods that the rule selects, and running pods that carry it. */
  readonly initialCounts: Int32Array;
  readonly initialOwners: Int32Array;
  /** One row per class: 1 for nodes whose labels and taints fit. */
  readonly eligibleNodes: Uint8Array;
  /** One row per class: the resource score of each node before any pod is bound, or `NO_ROOM`. */
  readonly initialScores: Int16Array;
  /** By class; `undefined` if its pods neither prefer nor avoid a node. */
  readonly nodePreferences: readonly (NodePreferences | undefined)[];
}

export function buildSimulatedCluster(podClasses: PodClassModels, nodes: readonly NodeModel[]): SimulatedCluster {
  const { models, trackedRules } = podClasses;
  const cells = models.length * nodes.length;
  const kinds = numberKinds(nodes);
  const rows = {
    ...{ podClasses, nodes, nodesToFind: countNodesToFind(nodes.length) },
    eligibleNodes: new Uint8Array(cells),
    initialScores: new Int16Array(cells).fill(NO_ROOM),
  };
  return {
    ...rows,
    ...createTopologyCounters(trackedRules, nodes),
    nodePreferences: models.map((model) => evaluateNodes(model, rows, kinds)),
  };
}

/** The values of a topology label, numbered. */
interface Domains {
  readonly numberByDomain: ReadonlyMap<string, number>;
  readonly domainOf: Int32Array;
  /** Indices of all domains, for the rules that count every node. */
  readonly allDomains: Int32Array;
}

function numberDomains(key: string, nodes: readonly NodeModel[]): Domains {
  const numberByDomain = new Map<string, number>();
  const domainOf = Int32Array.from(nodes, ({ name, kind: { labels } }) => {
    const domain = ownValue(labels, key) ?? (key === HOSTNAME_LABEL ? name : undefined);
    if (domain === undefined) return -1;
    return getOrCreate(numberByDomain, domain, () => numberByDomain.size);
  });
  const allDomains = Int32Array.from(numberByDomain.values());
  return { numberByDomain, domainOf, allDomains };
}

/** Creates the counters of all rules, and the counts of the running pods. */
function createTopologyCounters(
  trackedRules: readonly TrackedRule[],
  nodes: readonly NodeModel[],
): Pick<SimulatedCluster, 'counters' | 'initialCounts' | 'initialOwners'> {
  const domainsByKey = new Map<string, Domains>();
  let size = 0;
  const counters = trackedRules.map((one) => {
    const { key } = one.rule;
    const domains = getOrCreate(domainsByKey, key, () => numberDomains(key, nodes));
    const counter = createTopologyCounter(one, nodes, domains, size);
    size += domains.numberByDomain.size;
    return counter;
  });
  const initialCounts = new Int32Array(size);
  const initialOwners = new Int32Array(size);
  trackedRules.forEach(({ rule, counts, owners }, number) => {
    const firstDomain = counters[number]?.firstDomain ?? 0;
    const numberByDomain = domainsByKey.get(rule.key)?.numberByDomain;
    if (!numberByDomain) return;
    writeCounts(initialCounts, firstDomain, counts, numberByDomain);
    writeCounts(initialOwners, firstDomain, owners, numberByDomain);
  });
  return { counters, initialCounts, initialOwners };
}

function createTopologyCounter(
  { rule, counts }: TrackedRule,
  nodes: readonly NodeModel[],
  domains: Domains,
  firstDomain: number,
): TopologyCounter {
  const { filter } = rule;
  const isFiltered = filter?.anyOf !== undefined || filter?.tolerations !== undefined;
  const { numberByDomain, domainOf, allDomains } = domains;
  const counted = isFiltered ? selectNodes(filter, nodes, domains) : undefined;
  return {
    rule,
    domainOf,
    countedDomainOf: counted?.countedDomainOf ?? domainOf,
    presentDomains: counted?.presentDomains ?? allDomains,
    firstDomain,
    domainCount: numberByDomain.size,
    hasPodsElsewhere: hasPodsOutside(numberByDomain, counts),
  };
}

function selectNodes(
  filter: NodeFilter,
  nodes: readonly NodeModel[],
  { numberByDomain, domainOf }: Domains,
): Pick<TopologyCounter, 'countedDomainOf' | 'presentDomains'> {
  const countedDomainOf = new Int32Array(nodes.length).fill(-1);
  const isPresent = new Uint8Array(numberByDomain.size);
  nodes.forEach(({ kind }, node) => {
    if (!passesFilter(filter, kind)) return;
    const domain = domainOf[node] ?? -1;
    countedDomainOf[node] = domain;
    if (domain >= 0) isPresent[domain] = 1;
  });
  const presentDomains = Int32Array.from(numberByDomain.values()).filter((domain) => isPresent[domain] === 1);
  return { countedDomainOf, presentDomains };
}

function writeCounts(
  into: Int32Array,
  firstDomain: number,
  amounts: ReadonlyMap<string, number>,
  numberByDomain: ReadonlyMap<string, number>,
): void {
  for (const [domain, amount] of amounts) {
    const number = numberByDomain.get(domain);
    if (number !== undefined) into[firstDomain + number] = amount;
  }
}

function hasPodsOutside(numberByDomain: ReadonlyMap<string, number>, counts: ReadonlyMap<string, number>): boolean {
  for (const [domain, count] of counts) if (count > 0 && !numberByDomain.has(domain)) return true;
  return false;
}

/**
 * Writes the rows of the class.
 *
 * @returns the preferences by node, or undefined if the class has none
 */
function evaluateNodes(
  { number, evaluateNode }: PodClassModel,
  { eligibleNodes, initialScores }: Pick<SimulatedCluster, 'eligibleNodes' | 'initialScores'>,
  { all, numberOf }: NumberedKinds,
): NodePreferences | undefined {
  const evaluations = all.map(evaluateNode);
  const row = number * numberOf.length;
  for (let node = 0; node < numberOf.length; node++) {
    const evaluation = evaluations[numberOf[node] ?? 0];
    if (!evaluation?.isEligible) continue;
    eligibleNodes[row + node] = 1;
    initialScores[row + node] = evaluation.initialScore;
  }
  const byNode = (key: keyof NodePreference): Int32Array => numberOf.map((kind) => evaluations[kind]?.[key] ?? 0);
  return evaluations.some(hasPreference)
    ? { avoidedTaints: byNode('avoidedTaints'), preferredWeight: byNode('preferredWeight') }
    : undefined;
}

const hasPreference = ({ isEligible, preferredWeight, avoidedTaints }: NodeEvaluation): boolean =>
  isEligible && (preferredWeight > 0 || avoidedTaints > 0);

/** The kinds of the nodes, and the index of its kind by node. */
interface NumberedKinds {
  readonly all: readonly NodeKind[];
  readonly numberOf: Int32Array;
}

function numberKinds(nodes: readonly NodeModel[]): NumberedKinds {
  const numbers = new Map<NodeKind, number>();
  const numberOf = Int32Array.from(nodes, ({ kind }) => getOrCreate(numbers, kind, () => numbers.size));
  return { all: [...numbers.keys()], numberOf };
}
