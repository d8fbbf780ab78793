/** The part of the product that gives the reason. */
export type Emitter = 'scheduling' | 'aws' | 'disruption' | 'lifecycle' | 'any';

/**
 * Every reason that Mortise can give, with its sentence; `{field}` is filled from the reason's
 * fields, and `[, more {field}]` is an optional part. The sentence depends only on code and fields,
 * so the CLI, the console, Kubernetes Events and conditions show the same text. Scripts match on
 * codes: codes are never renamed, and no code is listed that nothing gives.
 */
export const REASONS = {
  'limit-reached': ['scheduling', '{resource} {used} of {limit} in use; smallest fitting node {type} adds {needed}'],
  'off-hours': ['scheduling', 'in its off hours: {used} of at most {nodes} nodes in use, more from {until} on'],
  'no-usable-pool': ['scheduling', 'no NodePool of an EC2NodeClass that could launch a node'],
  'pool-not-ready': ['scheduling', 'not Ready: {condition}, {message}'],
  'pods-not-received': [
    'scheduling',
    'its nodes did not receive these pods (failure {failures}); tried again after {until}',
  ],
  'pool-takes-no-pods': ['scheduling', 'takes no pods that wait: {why}'],
  'zone-without-subnet': ['scheduling', 'NodeClass {nodeClass} has no subnet in {zone}, only in {given}'],
  'subnets-full': ['scheduling', 'subnets of NodeClass {nodeClass} in {zone} have no free address left for a node'],
  'no-room': ['scheduling', 'needs {request} {resource}; {free} left'],
  'pool-has-no-types': ['scheduling', 'requirements leave none of {total} types'],
  'taint-not-tolerated': ['scheduling', 'taint {taint} not tolerated'],
  'unknown-label': ['scheduling', 'no node and no pool has label {key}'],
  'requirement-conflict': ['scheduling', 'pod needs {key} {wanted}, pool gives {given}'],
  'too-large': ['scheduling', 'needs {request} {resource}; largest type {type} has {free}'],
  'no-type-matches': ['scheduling', 'no type meets {criteria}; missing most: {missing}'],
  'no-offering-in-zone': ['scheduling', 'no {capacityType} offering of fitting types in {zone}'],
  'min-values-unmet': ['scheduling', 'minValues of {key} {wanted}, {found} fit'],
  'topology-spread': ['scheduling', '{key}: maxSkew {maxSkew}, counts {counts}, no node can be in {domain}'],
  'pod-affinity': ['scheduling', 'must share {key} with {selector}: none runs'],
  'pod-anti-affinity': ['scheduling', 'must not share {key} with {other}; {domains} taken'],
  'volume-not-ready': ['scheduling', 'PVC {claim}: {state}'],
  'volume-elsewhere': ['scheduling', 'PVC {claim} needs a node with {key} {there}, {other} one with {wanted}'],
  'device-claims': [
    'scheduling',
    'claims devices ({claims}): no node is planned for it while IGNORE_DRA_REQUESTS is true',
  ],
  'devices-not-served': [
    'scheduling',
    'claims devices ({claims}), but resource.k8s.io is not served, or not to be read',
  ],
  'device-claim-not-ready': ['scheduling', 'ResourceClaim {claim}: {state}'],
  'devices-elsewhere': [
    'scheduling',
    'ResourceClaim {claim} needs a node with {key} {there}, {other} one with {wanted}',
  ],
  'devices-unknown': [
    'scheduling',
    'ResourceClaim {claim} needs {wanted}: no node of {types} shows its devices yet; run one, by a pod without a claim',
  ],
  'devices-missing': ['scheduling', 'ResourceClaim {claim} needs {wanted} for {request}; best type {type} has {found}'],
  'devices-in-use': ['scheduling', 'ResourceClaim {claim} needs {wanted} for {request}; {found} free'],
  'devices-taken': ['scheduling', 'devices for ResourceClaim {claim} are in use, or with pods on another node'],
  'reservation-taken': ['scheduling', 'waits for the next plan: this one takes the last of reservation {reservations}'],
  'next-plan': ['scheduling', 'one of {pods} pods that the next plan looks at'],
  'too-complex': [
    'scheduling',
    'not planned: it needs {number} {what}, and {limit} are allowed; use fewer node selector terms, spreads, affinities or host ports',
  ],
  'planning-failed': [
    'scheduling',
    'not planned: the planner ended without a plan when it planned these pods (failure {failures}); tried again after {until}, or when they change',
  ],
  'planning-paused': [
    'scheduling',
    'not planned: plans end without a result even with no pod in them, so nothing is planned for now (failure {failures}); tried again after {until}',
  ],
  'host-port-conflict': ['scheduling', '{port} taken by {other}'],
  'pod-not-considered': ['scheduling', 'left to kube-scheduler: {why}'],
  'waiting-for-node': ['scheduling', 'placed on {claim}: {phase} since {since}, usually {typical}'],
  ice: ['aws', '{type} {capacityType} {zone} out of capacity until {until}'],
  'zonal-shift': ['aws', '{zone} shifted away until {until}'],
  'blocked-by-pdb': ['disruption', '{pdb} allows 0 disruptions ({rule}, healthy {healthy})'],
  'blocked-restart': [
    'disruption',
    '{pdb} allows 0 disruptions ({rule}, healthy {healthy}), and {pod} cannot be restarted elsewhere: {why}',
  ],
  'blocked-by-do-not-disrupt': ['disruption', '{object} carries do-not-disrupt until {until}'],
  'budget-exhausted': ['disruption', 'budget {budget} for {reason}: {disrupting} of {allowed} in use'],
  'budget-closed': [
    'disruption',
    'budget {budget} allows no disruption for {reason}[, next window opens at {opensAt}]',
  ],
  'window-spread': [
    'disruption',
    'window for {reason} opened at {openedAt}: its moves are spread until {until}, now {nodes} at a time',
  ],
  'budget-unreadable': ['disruption', 'no disruption, because a budget of NodePool {pool} cannot be read: {fault}'],
  'consolidate-after': ['disruption', 'last pod change {since} ago, needs {wanted}'],
  'consolidation-disabled': ['disruption', '{policy}, consolidateAfter {value}'],
  'no-cheaper-replacement': [
    'disruption',
    'best is {alternative} at ${hourlyUsd}/h, now ${currentUsd}/h[, with room for {rollout}]',
  ],
  'pods-do-not-fit': ['disruption', '{count} pods fit nowhere else[, with {rollout}]: {first}, {firstReason}'],
  'on-demand-share': [
    'disruption',
    '{owner} keeps {share} on demand: the move would leave {onDemand}, needs {required}',
  ],
  'paid-by-commitment': ['disruption', '{commitment} pays for it, whether it runs or not: to remove it saves nothing'],
  'depends-on-order': ['disruption', 'its pods fit elsewhere, but pods that bind before {pod} may take its place'],
  'spot-diversity': ['disruption', '{found} cheaper spot types, needs {required}'],
  'spot-to-spot-disabled': [
    'disruption',
    'its pods fit a cheaper spot type, but spot nodes are replaced by spot only on request',
  ],
  'not-priced': [
    'disruption',
    'its pods do not fit the other nodes, and no price of the region is known, so no replacement is known to be cheaper',
  ],
  'not-worth-disruption': [
    'disruption',
    'saves too little of NodePool {pool} for the pods it moves: {score}, needs {threshold}',
  ],
  'not-paid-back': [
    'disruption',
    'a move of {evictions} pods would save ${savingUsd}/h and pay back in {payback}, more than {limit}[; if nothing changes, it happens from {until} on]',
  ],
  'saves-too-little': ['disruption', 'a move would save ${savingUsd}/h, needs ${wantedUsd}/h'],
  'still-paying-back': [
    'disruption',
    'launched in the place of other nodes: not moved again before {until}, unless its pods go',
  ],
  'after-commands': ['disruption', 'looked at again once the moves have ended that start now'],
  'would-return': ['disruption', 'only {type} is cheaper, which was replaced on the way to this node'],
  'removal-deferred': ['disruption', 'the next plan looks at it, because an earlier one did not end'],
  'removal-planning-failed': [
    'disruption',
    'stays: the planner ended without a plan when it planned its removal (failure {failures}); tried again after {until}',
  ],
  'removals-paused': [
    'disruption',
    'stays: plans of removals end without a result whichever nodes they leave out, so none is made for now (failure {failures}); tried again after {until}',
  ],
  'quiet-after-hand-over': [
    'disruption',
    'stays: another owner had the cluster until a moment ago, so no node of NodePool {pool} is disrupted voluntarily before {until}',
  ],
  'launch-under-way': ['disruption', 'NodeClaim {claim} is being launched: {effect}'],
  nominated: ['disruption', 'pods were planned onto it; looked at again at {until}'],
  drifted: ['disruption', 'replaced: {drift}, {text}'],
  unhealthy: ['disruption', 'replaced: its condition {condition} is {status}'],
  'terminates-first': ['disruption', 'replaced, and drained before that: {why}'],
  'drift-backoff': ['disruption', 'drifted; a replacement of NodePool {pool} did not come up, tried again at {at}'],
  'static-at-limit': [
    'disruption',
    'NodePool {pool} may have {limit} nodes and has them: no replacement can come first',
  ],
  'static-without-replacement': ['disruption', 'NodePool {pool} can launch no replacement: {why}'],
  'static-too-large': ['disruption', 'NodePool {pool} shrinks from {nodes} to {replicas} nodes first'],
  'rollout-first-node': [
    'disruption',
    'drifted; waits for the first node of {image} in EC2NodeClass {nodeClass} to be ready',
  ],
  'rollout-nodes-not-ready': [
    'disruption',
    'drifted; {lost} of {nodes} nodes of {image} in EC2NodeClass {nodeClass} were ready and are not',
  ],
  'rollout-stopped': ['disruption', 'drifted; rollout of {image} in EC2NodeClass {nodeClass} stopped: {why}'],
  'disrupted-by-karpenter': ['disruption', 'Karpenter disrupts it ({why}): {state}'],
  underutilized: ['disruption', 'removed: pods fit {target}[, saves ${savingUsd}/h], pays back in {payback}'],
  'underutilized-together': [
    'disruption',
    'removed with {others} more: pods fit {target}[, saves ${savingUsd}/h in all], pays back in {payback}',
  ],
  'removed-in-off-hours': [
    'disruption',
    'removed: NodePool {pool} is in its off hours until {until}, at most {nodes} nodes[; {waiting} of its pods fit nowhere else until then]',
  ],
  empty: ['disruption', 'removed: no pods since {since}'],
  'drain-stuck': ['lifecycle', '{pods} not left since {since}. {blockers}'],
  'state-incomplete': ['any', 'no decision: {what} unreadable or older than {limit}'],
} as const satisfies Record<string, readonly [Emitter, string]>;

export type ReasonCode = keyof typeof REASONS;

export interface Reason {
  readonly code: ReasonCode;
  readonly fields: Readonly<Record<string, string>>;
}

export const emitterOf = ({ code }: Reason): Emitter => REASONS[code][0];

/**
 * Formats the reason as a sentence. A field without a value becomes a dash; a part in square
 * brackets is left out unless all its fields have values.
 */
export const formatReason = ({ code, fields }: Reason): string =>
  REASONS[code][1]
    .replaceAll(/\[([^\]]*)\]/g, (_, part: string) =>
      listFields(part).every((field) => fields[field] !== undefined) ? part : '',
    )
    .replaceAll(FIELD, (_, field: string) => fields[field] ?? '–');

const FIELD = /\{(\w+)\}/g;

const listFields = (text: string): string[] => [...text.matchAll(FIELD)].map(([, field]) => field ?? '');

/** The reason for an object that could not be read and without which no decision is made. */
export const stateIncomplete = ({ kind, name }: { kind: string; name: string }): Reason => ({
  code: 'state-incomplete',
  fields: { what: `${kind} ${name}`, limit: 'allowed' },
});
