import { LIVES_S, type Metric, SLOW_S } from './metric.ts';

/** Karpenter derives these label names from the keys of the object's labels. */
const CLAIM_LABELS = ['karpenter_sh_nodepool', 'karpenter_k8s_aws_ec2nodeclass'] as const;
const NODE_LABELS = [...CLAIM_LABELS, 'karpenter_sh_initialized'] as const;

const CONDITION = ['name', 'type', 'status', 'reason'] as const;
const TRANSITION = ['type', 'status', 'reason'] as const;
const DURATION = ['type', 'status', 'to_status'] as const;

const COUNT = { kind: 'gauge', unit: 'count', cloudWatch: 'none' } as const;
const CURRENT = { kind: 'gauge', unit: 'seconds', cloudWatch: 'none' } as const;
const TOTAL = { kind: 'counter', unit: 'count', cloudWatch: 'none' } as const;
const PAST = { kind: 'histogram', unit: 'seconds', cloudWatch: 'none' } as const;

/** Metrics of the status conditions of NodeClaims, Nodes, NodePools and EC2NodeClasses. */
export const CONDITION_METRICS = {
  operator_nodeclaim_status_condition_count: {
    ...COUNT,
    labels: [...CONDITION, ...CLAIM_LABELS],
    help: 'Always 1, for each condition of each NodeClaim.',
  },
  operator_nodeclaim_status_condition_current_status_seconds: {
    ...CURRENT,
    labels: [...CONDITION, ...CLAIM_LABELS],
    help: 'How long a condition of a NodeClaim has had its status.',
  },
  operator_nodeclaim_status_condition_transitions_total: {
    ...TOTAL,
    labels: [...TRANSITION, ...CLAIM_LABELS],
    help: 'Changes of the conditions of NodeClaims, by the new status.',
  },
  operator_nodeclaim_status_condition_transition_seconds: {
    ...PAST,
    labels: [...DURATION, ...CLAIM_LABELS],
    buckets: SLOW_S,
    help: 'How long conditions of NodeClaims had their earlier status: until they are Launched, Registered, Initialized.',
  },
  operator_nodeclaim_termination_current_time_seconds: {
    ...CURRENT,
    labels: ['name', ...CLAIM_LABELS],
    help: 'How long a NodeClaim has been terminating.',
  },
  operator_nodeclaim_termination_duration_seconds: {
    ...PAST,
    labels: CLAIM_LABELS,
    buckets: SLOW_S,
    help: 'From the deletion of a NodeClaim until it is gone.',
  },
  operator_node_status_condition_count: {
    ...COUNT,
    labels: [...CONDITION, ...NODE_LABELS],
    help: 'Always 1, for the condition Ready of each Node, and for other conditions that report a problem.',
  },
  operator_node_status_condition_current_status_seconds: {
    ...CURRENT,
    labels: [...CONDITION, ...NODE_LABELS],
    help: 'How long such a condition has had its status, as far as this process has seen.',
  },
  operator_node_status_condition_transitions_total: {
    ...TOTAL,
    labels: [...TRANSITION, ...NODE_LABELS],
    help: 'Changes of the condition Ready of Nodes, by the new status.',
  },
  operator_node_status_condition_transition_seconds: {
    ...PAST,
    labels: [...DURATION, ...NODE_LABELS],
    buckets: LIVES_S,
    help: 'How long the condition Ready of Nodes had its earlier status.',
  },
  operator_node_termination_current_time_seconds: {
    ...CURRENT,
    labels: ['name', ...NODE_LABELS],
    help: 'How long a Node has been terminating.',
  },
  operator_node_termination_duration_seconds: {
    ...PAST,
    labels: NODE_LABELS,
    buckets: SLOW_S,
    help: 'From the deletion of a Node until it is gone.',
  },
  operator_nodepool_status_condition_count: {
    ...COUNT,
    labels: CONDITION,
    help: 'Always 1, for each condition of each NodePool.',
  },
  operator_nodepool_status_condition_current_status_seconds: {
    ...CURRENT,
    labels: CONDITION,
    help: 'How long such a condition has had its status, as far as this process has seen.',
  },
  operator_nodepool_status_condition_transitions_total: {
    ...TOTAL,
    labels: TRANSITION,
    help: 'Changes of the conditions of NodePools, by the new status.',
  },
  operator_nodepool_status_condition_transition_seconds: {
    ...PAST,
    labels: DURATION,
    buckets: LIVES_S,
    help: 'How long conditions of NodePools had their earlier status.',
  },
  operator_ec2nodeclass_status_condition_count: {
    ...COUNT,
    labels: CONDITION,
    help: 'Always 1, for each condition of each EC2NodeClass.',
  },
  operator_ec2nodeclass_status_condition_current_status_seconds: {
    ...CURRENT,
    labels: CONDITION,
    help: 'How long a condition of an EC2NodeClass has had its status.',
  },
  operator_ec2nodeclass_status_condition_transitions_total: {
    ...TOTAL,
    labels: TRANSITION,
    help: 'Changes of the conditions of EC2NodeClasses, by the new status.',
  },
  operator_ec2nodeclass_status_condition_transition_seconds: {
    ...PAST,
    labels: DURATION,
    buckets: LIVES_S,
    help: 'How long conditions of EC2NodeClasses had their earlier status.',
  },
} as const satisfies Readonly<Record<string, Metric>>;
