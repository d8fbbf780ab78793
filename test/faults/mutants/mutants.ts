import type { InvariantName } from '../invariants/violations.ts';

/** A deliberate defect: a text in one file of the product is replaced by another. */
export interface Mutant {
  readonly title: string;
  /** Relative to the repository. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** The invariants that may notice it. */
  readonly violates: readonly InvariantName[];
  /** Rare defects are looked for from here on. Default: 1. */
  readonly firstSeed?: number;
}

/** Each of these defects must be found by a few hundred histories. */
export const MUTANTS: readonly Mutant[] = [
  {
    title: 'removes the finalizers of other controllers',
    file: 'shared/lifecycle/node-edits.ts',
    find: 'finalizers.filter((finalizer) => finalizer !== TERMINATION_FINALIZER)',
    replace: 'finalizers.slice(0, 0)',
    violates: ['foreign-finalizer'],
  },
  {
    title: 'deletes pods past their budgets',
    file: 'shared/lifecycle/termination/drain.ts',
    find: "({ kind: 'evict', pod })",
    replace: "({ kind: 'delete-pod', pod, gracePeriodMs: 1000 })",
    violates: ['pod-disruption-budget'],
  },
  {
    title: 'terminates instances before their pods have left',
    file: 'shared/lifecycle/termination/termination.ts',
    find: 'if (remainingPods.length > 0) {',
    replace: 'if (remainingPods.length > 99) {',
    violates: ['instance-in-use'],
  },
  {
    title: 'ignores the disruption budgets of pools',
    file: 'shared/disruption/budgets.ts',
    find: 'if (disrupting + taken < allowed.nodes) {',
    replace: 'if (disrupting + taken < 99) {',
    violates: ['disruption-budget'],
  },
  {
    title: 'ignores the launch caps',
    file: 'shared/controllers/provisioning/launch-caps.ts',
    find: 'if (launches > launchesPerMinute) return',
    replace: 'if (launches > 99 * launchesPerMinute) return',
    violates: ['launch-cap'],
  },
  {
    title: 'ignores the price cap',
    file: 'shared/controllers/provisioning/launch-caps.ts',
    find: 'if (usd > hourlyUsd) return',
    replace: 'if (usd > 99 * hourlyUsd) return',
    violates: ['price-cap'],
    firstSeed: 60,
  },
  {
    title: 'overwrites records that another process has changed',
    file: 'shared/memory/node-claims.ts',
    find: '?? 0) !== expectedVersion)',
    replace: '?? 0) !== expectedVersion && expectedVersion === 0)',
    violates: ['record-went-back', 'instance-claimed-twice', 'launched-twice', 'recovers'],
  },
  {
    title: 'launches again without a look for the instances of a lost answer',
    file: 'shared/controllers/launch/launch-record.ts',
    find: 'isRepeated: mayHaveLaunched(existing.record)',
    replace: 'isRepeated: false',
    violates: ['launched-twice'],
    firstSeed: 60,
  },
  {
    title: 'acts although another owner has the cluster',
    file: 'shared/controllers/support/ownership.ts',
    find: "(await ownership.claim()).outcome === 'owner';",
    replace: "(await ownership.claim()).outcome !== 'x' as string;",
    violates: ['stand-by'],
  },
  {
    title: 'ends instances that their claims have not stored yet',
    file: 'shared/controllers/garbage-collection/leaked-instances.ts',
    find: ' || isAwaited(instance, launch, records);',
    replace: ';',
    violates: ['instance-in-use', 'instance-claimed-twice'],
    firstSeed: 2_850,
  },
  {
    title: 'takes records that it cannot read for missing',
    file: 'shared/controllers/garbage-collection/leaked-instances.ts',
    find: ' || mayBeUnreadable(instance, records)',
    replace: '',
    violates: ['instance-in-use', 'launched-twice', 'recovers'],
  },
  {
    title: 'leaves the NodeClaims of ended claims',
    file: 'shared/controllers/node-claim/hydrate.ts',
    find: 'await removeLeftover(ports, ended);',
    replace: '',
    violates: ['recovers'],
    firstSeed: 330,
  },
  {
    title: 'takes a node with one more pod for drained',
    file: 'shared/lifecycle/termination/termination.ts',
    find: 'if (remainingPods.length > 0) {',
    replace: 'if (remainingPods.length > 1) {',
    violates: ['ended-without-eviction'],
  },
  {
    title: 'counts no node towards the budgets that has the disrupted taint',
    file: 'shared/disruption/budgets.ts',
    find: 'if (disrupting + taken < allowed.nodes) {',
    replace: 'if (taken < allowed.nodes) {',
    violates: ['observed-budget'],
  },
  {
    title: 'leaves names in texts that consist of one name',
    file: 'shared/record/redact-names.ts',
    find: 'if (isKept(text)) return text;',
    replace: 'if (isKept(text) || !SPACE.test(text)) return text;',
    violates: ['redacted-name'],
  },
  {
    title: 'reboots nodes before their pods have left',
    file: 'shared/lifecycle/reboot.ts',
    find: '? drainBeforeReboot(claim, reboot, node, observed)',
    replace: "? issueReboot(claim, node.bootId ?? '', node, observed)",
    violates: ['reboot-reason'],
  },
  {
    title: 'leaves the taint of a reboot on the node',
    file: 'shared/lifecycle/reboot.ts',
    find: 'node.taints.filter((taint) => !isSameTaint(taint, REBOOTING_TAINT))',
    replace: 'node.taints.filter(() => true)',
    violates: ['recovers'],
  },
  {
    title: 'lets nodes of static pools go before their replacements, although these can be launched first',
    file: 'shared/disruption/static-replacements.ts',
    find: 'const goesFirst = isAtLimit ||',
    replace: 'const goesFirst = mayGoFirst ||',
    violates: ['terminate-first'],
  },
  {
    title: 'lets nodes of static pools go before their replacements without a gate',
    file: 'shared/disruption/candidates.ts',
    find: 'settings?.gates.TerminateFirstDrift === true',
    replace: 'settings?.gates.TerminateFirstDrift !== undefined',
    violates: ['terminate-first'],
  },
];
