import { readCommittedCapacity } from '../../api/committed-capacity.ts';
import { readDefaultSpread } from '../../api/default-spread.ts';
import { formatShortDuration } from '../../model/duration.ts';
import {
  DEFAULT_EVICTION_COST_USD,
  DEFAULT_GROWTH_WINDOW_MS,
  DEFAULT_RANKED_EVICTION_COST_USD,
  DEFAULT_SETTINGS,
  DEFAULT_SURPLUS_NODES,
  MIN_VALUES_POLICIES,
  PREFERENCE_POLICIES,
  REBALANCE_POLICIES,
  readFeatureGates,
  SURPLUS_NODE_POLICIES,
} from '../../model/settings.ts';
import { AMOUNT, accept, choice, DURATION_OR_ANY, duration, SHARE, TRUE_OR_FALSE, wholeNumber } from '../forms.ts';
import type { Form, SettingTable } from '../setting.ts';

/** Texts, because the gates of both variables are read together. */
const GATES: Form<string> = {
  valid: 'A=true,B=false',
  read: (text) => {
    const reading = readFeatureGates(text);
    if (reading.outcome === 'read') return accept(text);
    return {
      ...reading,
      why: `must be written like NodeOverlay=true,NodeRepair=false (${reading.problems.join('; ')})`,
    };
  },
};

const SCHEDULER_CONFIG: Form<Extract<ReturnType<typeof readDefaultSpread>, { outcome: 'read' }>> = {
  valid: '`podTopologySpread.defaultConstraints` in YAML or JSON',
  isDocument: true,
  read: (text, parse) => {
    const reading = readDefaultSpread(text, parse);
    if (reading.outcome === 'read') return accept(reading);
    const { why } = reading;
    return { ...reading, why: why.startsWith('must') ? why : `must hold valid constraints (${why})` };
  },
};

const COMMITTED_CAPACITY: Form<Extract<ReturnType<typeof readCommittedCapacity>, { outcome: 'read' }>> = {
  valid: '`reservedInstances` and `savingsPlans` in YAML or JSON',
  isDocument: true,
  read: (text, parse) => {
    const reading = readCommittedCapacity(text, parse);
    if (reading.outcome === 'read') return accept(reading);
    return { ...reading, why: `must hold reservedInstances and savingsPlans, in YAML or JSON (${reading.why})` };
  },
};

/** Settings that change decisions. Snapshots record them. */
export const DECISIONS = {
  featureGates: {
    variable: 'FEATURE_GATES',
    option: 'featureGates',
    controller: 'variable',
    form: GATES,
    meaning: 'Feature gates of the core, see below.',
  },
  awsFeatureGates: {
    variable: 'AWS_FEATURE_GATES',
    option: 'awsFeatureGates',
    controller: 'variable',
    form: GATES,
    meaning: 'Feature gates of the AWS part, see below.',
  },
  preferencePolicy: {
    variable: 'PREFERENCE_POLICY',
    option: 'preferencePolicy',
    controller: 'variable',
    form: choice(...PREFERENCE_POLICIES),
    usual: DEFAULT_SETTINGS.preferencePolicy,
    meaning:
      '`Respect`: a preference of a pod counts as a requirement as long as a node can meet it. `Ignore`: preferences have no effect.',
  },
  minValuesPolicy: {
    variable: 'MIN_VALUES_POLICY',
    option: 'minValuesPolicy',
    controller: 'variable',
    form: choice(...MIN_VALUES_POLICIES),
    usual: DEFAULT_SETTINGS.minValuesPolicy,
    meaning:
      '`Strict`: a NodePool launches nothing if fewer values than `minValues` remain. `BestEffort`: it launches with the values that remain.',
  },
  rebalancePolicy: {
    variable: 'REBALANCE_POLICY',
    option: 'rebalancePolicy',
    controller: 'variable',
    form: choice(...REBALANCE_POLICIES),
    usual: 'Ignore',
    meaning:
      'What Mortise does when EC2 recommends to leave a spot instance: nothing, or replace its node as a drifted one.',
  },
  legacyNodeRepair: {
    variable: 'LEGACY_NODE_REPAIR',
    option: 'legacyNodeRepair',
    controller: 'variable',
    form: TRUE_OR_FALSE,
    usual: 'false',
    meaning:
      'With the gate `NodeRepair`. `true`: unhealthy nodes are terminated at once, as by Karpenter before 1.15: without a replacement first, without time to drain, whatever budgets and `karpenter.sh/do-not-repair` say.',
  },
  ignoreDraRequests: {
    variable: 'IGNORE_DRA_REQUESTS',
    option: 'ignoreDraRequests',
    controller: 'variable',
    form: TRUE_OR_FALSE,
    usual: `${DEFAULT_SETTINGS.ignoreDraRequests}`,
    meaning: '`true`: Mortise launches nothing for pods with ResourceClaims.',
  },
  schedulerConfig: {
    variable: 'SCHEDULER_CONFIG',
    option: 'schedulerConfig',
    controller: 'variable',
    form: SCHEDULER_CONFIG,
    meaning:
      'The default topology spread of kube-scheduler, if your cluster configures one. It applies to pods without constraints of their own.',
  },
  committedCapacity: {
    variable: 'COMMITTED_CAPACITY',
    option: 'committedCapacity',
    controller: 'variable',
    form: COMMITTED_CAPACITY,
    meaning:
      'Reserved instances and Savings Plans of the account. Instances that they cover cost nothing more, so they are launched first ([format](../guides/committed-capacity.md)).',
  },
  perNodeHourlyUsd: {
    variable: 'PER_NODE_HOURLY_USD',
    option: 'perNodeHourlyUsd',
    controller: 'variable',
    form: AMOUNT,
    usual: `${DEFAULT_SETTINGS.perNodeHourlyUsd}`,
    meaning:
      'What a node costs per hour besides its instance. A larger figure gives fewer and larger nodes. An annotation of a NodePool replaces it.',
  },
  consolidationPayback: {
    variable: 'CONSOLIDATION_PAYBACK',
    option: 'consolidationPayback',
    controller: 'variable',
    form: DURATION_OR_ANY,
    byDefault: '1h',
    meaning:
      'The time within which a consolidation must save what it costs. It costs the evictions, and the time in which old and new nodes run. `Any`: evictions have no price, as in Karpenter.',
  },
  evictionCostUsd: {
    variable: 'EVICTION_COST_USD',
    option: 'evictionCostUsd',
    controller: 'variable',
    form: AMOUNT,
    byDefault: `${DEFAULT_EVICTION_COST_USD}; ${DEFAULT_RANKED_EVICTION_COST_USD} in namespaces whose pods Mortise ranks`,
    meaning:
      'The price of evicting a pod, when Mortise weighs a consolidation. It is higher for pods that start slowly, have just started, or use up their PodDisruptionBudget.',
  },
  growthWindow: {
    variable: 'GROWTH_WINDOW',
    option: 'growthWindow',
    controller: 'variable',
    form: duration('30m, or 0s'),
    usual: formatShortDuration(DEFAULT_GROWTH_WINDOW_MS),
    meaning:
      'How long launches for waiting pods count as growth of their NodePool. New nodes of a NodePool that grows steadily have room for a mixture of the pods that started in this time, as much as it launched, up to a twentieth of the NodePool and one node of 16 CPUs; and a consolidation of its nodes has to pay back before the NodePool launches as much again. `0s`: nodes are launched for waiting pods alone, whatever was launched before.',
  },
  steerPods: {
    variable: 'STEER_PODS',
    option: 'steerPods',
    controller: 'variable',
    form: TRUE_OR_FALSE,
    usual: 'true',
    meaning:
      'New nodes get the taint `mortise.sh/expensive-pool:PreferNoSchedule` if a cheaper NodePool of the same weight suits some of the pods that may run there, and `mortise.sh/fill-last:PreferNoSchedule` for their first five minutes if their room is for pods that the other nodes of their plan cannot take. `false`: no node gets them, and running nodes lose them within a minute.',
  },
  surplusNodes: {
    variable: 'SURPLUS_NODES',
    option: 'surplusNodes',
    controller: 'variable',
    form: choice(...SURPLUS_NODE_POLICIES),
    usual: DEFAULT_SURPLUS_NODES,
    meaning:
      'The treatment of nodes that their NodePool could do without. `Taint`: they get the taint `mortise.sh/surplus:PreferNoSchedule`, so that new pods prefer other nodes. `TaintAndPodDeletionCost`: pods of ReplicaSets also get a deletion cost from 0 to -3, so that ReplicaSets that become smaller delete pods on the most wasteful nodes first: at most 1,000 pods, one a second. This needs the right to patch pods, which you give for all namespaces, for some or for none; where it is missing, pods stay as they are. Such nodes become empty with few evictions.',
  },
  memoryOverhead: {
    variable: 'VM_MEMORY_OVERHEAD_PERCENT',
    option: 'vmMemoryOverheadPercent',
    controller: 'variable',
    form: SHARE,
    usual: `${DEFAULT_SETTINGS.sizes.memoryOverhead}`,
    meaning:
      "The share of an instance's memory that its node does not offer. It applies until a node of that type has reported its memory.",
  },
  reservedEnis: {
    variable: 'RESERVED_ENIS',
    option: 'reservedEnis',
    controller: 'variable',
    form: wholeNumber(0, 99),
    usual: `${DEFAULT_SETTINGS.sizes.reservedEnis}`,
    meaning: 'The number of network interfaces of each node that give pods no addresses.',
  },
} as const satisfies SettingTable;
