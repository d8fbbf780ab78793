import type { RuntimeName } from './runtimes.ts';

/** A spec that is expected not to pass. */
export interface KnownSpec {
  readonly suite: string;
  /** Matches the specs' names, as Ginkgo joins them. */
  readonly spec: RegExp;
  readonly reason: string;
  /** Undefined for both runtimes. */
  readonly runtime?: RuntimeName;
  /** True if the spec also passes, depending on the time that its steps take. */
  readonly mayPass?: true;
}

const OWN_HASH =
  'the spec compares the annotation with the hash that Karpenter computes. Mortise writes a hash of its own with the version s1, so that no node drifts when one replaces the other';

/** Both have the same specs. */
const SCHEDULING: readonly string[] = ['scheduling-strict', 'scheduling-besteffort'];

/** Specs that fail because Mortise differs from Karpenter by design. They run and must fail. */
export const DIFFERENT_BY_DESIGN: readonly KnownSpec[] = [
  { suite: 'disruption', spec: /should update the nodepool-hash annotation/, reason: OWN_HASH },
  { suite: 'drift', spec: /should update the ec2nodeclass-hash annotation/, reason: OWN_HASH },
  {
    suite: 'regression',
    spec: /should create a NodeClaim propagating all the NodeClaim spec details/,
    reason:
      'the spec expects that the NodeClaim owns the Node. Nodes have no owner (decision 13): one would be deleted with a NodeClaim object that merely vanished',
  },
  {
    suite: 'regression',
    spec: /garbage collect an Instance that was launched by a NodeClaim but has no Instance mapping/,
    reason:
      'the spec writes the id of a missing instance into the status. Mortise does not read the status but its record of the NodeClaim, whose instance runs. The spec keeps the Node from registering, so the NodeClaim goes with the registration timeout: after 15 min, when the timeout of the spec ends too',
    mayPass: true,
  },
  {
    suite: 'integration',
    spec: /not ready since (subnets|security groups) were not resolved/,
    reason: 'the spec compares the text of the condition. That of Mortise names the tags that nothing matches',
  },
  ...SCHEDULING.map((suite) => ({
    suite,
    spec: /should prioritize (ODCR over IODCR|reservation with lower price)/,
    reason:
      'the spec expects that the NodeClaim lists all reservations that fit and EC2 chooses among them. A plan of Mortise assigns each free instance of a reservation to one NodeClaim, which lists that reservation only',
  })),
];

/** Specs that need something the lab does not have. They do not run. */
export const NOT_RUNNABLE: readonly KnownSpec[] = [
  {
    suite: 'dra',
    spec: /^DRA KWOK Driver/,
    reason: "all specs need the driver and the instance types of Karpenter's provider KWOK",
  },
  {
    suite: 'performance',
    spec: /^Performance /,
    reason: "all specs read the metrics through a port of Karpenter's pod first, and the lab runs no containers",
  },
  {
    suite: 'integration',
    spec: /^Metrics should expose/,
    reason: "it reads the metrics through a port of Karpenter's pod, and the lab runs no containers",
  },
  {
    suite: 'integration',
    spec: /^ConnectionTracking should apply connection tracking settings to all EFA/,
    reason: 'the local EC2 has one network interface per instance; it shows the others without ids',
  },
  {
    suite: 'integration',
    spec: /when the AMIFamily is (AL2|Windows2019|Windows2025)$/,
    reason: 'the lab has images of AL2023, Bottlerocket and Windows 2022',
  },
  {
    suite: 'integration',
    spec: /should reserve resources per instance type/,
    reason: "the lab's kubelet ignores kubeReserved and systemReserved",
  },
  ...SCHEDULING.map((suite) => ({ suite, spec: /when a Zonal Shift is active/, reason: 'the lab has no ARC' })),
  {
    suite: 'integration',
    spec: /^SecurityGroups should use/,
    reason: 'the local EC2 shows no security groups of instances',
  },
  {
    suite: 'integration',
    spec: /requests vpc\.amazonaws\.com\/pod-eni/,
    reason: 'it changes the DaemonSet aws-node of EKS',
  },
  {
    suite: 'integration',
    spec: /should fail when RunInstances is denied/,
    reason: 'the lab also refuses the dry run of CreateFleet without the right to RunInstances',
  },
  {
    suite: 'interruption',
    spec: /spot interruption warning/,
    reason: 'it interrupts the instance with the Fault Injection Service, which no emulator has',
  },
  {
    suite: 'interruption',
    spec: /reserved capacity interruption/,
    reason: 'the local EC2 does not take back interruptible capacity from running instances',
  },
  {
    suite: 'interruption',
    spec: /scheduled change health event/,
    reason: 'without a stack no queue receives events of EC2',
    runtime: 'controller',
  },
  {
    suite: 'interruption',
    spec: /instance status failure/,
    reason: 'it crashes the kernel of the node from a pod, and the lab runs no containers',
  },
];
