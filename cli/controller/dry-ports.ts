import type { Log } from '../../shared/aws/log.ts';
import { requireReadable } from '../../shared/controllers/support/unreadable-records.ts';
import type { Cloud } from '../../shared/ports/cloud.ts';
import type { Cluster } from '../../shared/ports/cluster.ts';
import type { BackoffCause } from '../../shared/ports/learned-state.ts';
import type { ClassPorts, Ports } from '../../shared/ports/ports.ts';
import { memoryRecords } from './memory-records.ts';

/** Logs an action that the dry run leaves out. */
type ReportAction = (what: string, fields: Readonly<Record<string, unknown>>) => void;

export const createActionReport =
  (log: Log): ReportAction =>
  (what, fields) =>
    log({ level: 'info', message: `would ${what}`, fields: { act: false, ...fields } });

/**
 * The ports of a dry run: reads are real, writes are dropped. Records start as a copy of the real
 * ones and live in memory.
 *
 * Every method is listed explicitly, so that a new method does not compile until its dry behaviour
 * is decided.
 */
export async function createDryPorts(real: Ports, report: ReportAction): Promise<Ports> {
  const { clock, queue, decisionLog, settings, launchCaps, zonalShifts } = real;
  const records = memoryRecords();
  await copyRecords(real, records);
  const classes = real.classes && createDryClasses(real.classes);
  return {
    clock,
    queue,
    decisionLog,
    ...(settings && { settings }),
    ...(launchCaps && { launchCaps }),
    ...records,
    ...(zonalShifts && {
      zonalShifts: { list: (now) => zonalShifts.list(now), replace: async () => [] },
    }),
    unavailableOfferings: {
      // Combines what other controllers found out with what this dry run would have found out.
      list: async (now) => [
        ...(await real.unavailableOfferings.list(now)),
        ...(await records.unavailableOfferings.list(now)),
      ],
      mark: records.unavailableOfferings.mark,
    },
    learnedSizes: { list: (now) => real.learnedSizes.list(now), learn: async () => {} },
    cluster: createDryCluster(real.cluster, report),
    cloud: createDryCloud(real.cloud, report),
    ...(classes && { classes }),
    nodeClasses: classes?.records ?? real.nodeClasses,
    // A dry run never reads the real ownership, because that writes a lease.
    ownership: {
      claim: async () => ({ outcome: 'owner' }),
      takeOver: async () => ({ outcome: 'owner' }),
      release: async () => {},
    },
  };
}

const BACKOFFS: readonly BackoffCause[] = ['registration', 'launch', 'placement', 'drift'];

async function copyRecords(from: Ports, to: ReturnType<typeof memoryRecords>): Promise<void> {
  const now = from.clock.now();
  const [claims, nominations] = await Promise.all([from.nodeClaims.list(), from.nominations.list(now)]);
  requireReadable('Claim', claims);
  for (const { claim } of claims.records) await to.nodeClaims.save(claim, 0);
  const commands = await from.commands.list();
  requireReadable('Command', commands);
  for (const command of commands.records) await to.commands.add(command);
  for (const rollout of await from.rollouts.list()) await to.rollouts.stop(rollout);
  for (const cause of BACKOFFS) {
    for (const backoff of await from.poolBackoffs.list(cause)) await to.poolBackoffs.save(cause, backoff);
  }
  for (const [name, until] of Object.entries(nominations)) {
    await to.nominations.nominate([name], until);
  }
}

function createDryCluster(real: Cluster, report: ReportAction): Cluster {
  return {
    observe: (requirements) => real.observe(requirements),
    attachedVolumes: (node) => real.attachedVolumes(node),
    findRestarts: (pods) => real.findRestarts(pods),
    reportNodePool: async () => {},
    reportExtension: async () => {},
    projectNodeClaim: async () => {},
    showWait: async () => {},
    removeNodeClaim: async () => {},
    async changeNode({ name }, { taints }) {
      if (taints) report('taint', { node: name, taints });
    },
    deleteNode: async ({ name }) => report('delete', { node: name }),
    async evict({ namespace, name }) {
      report('evict', { pod: `${namespace}/${name}` });
      return { outcome: 'gone' };
    },
    async restartOwner({ namespace, name }) {
      report('restart', { ownerOf: `${namespace}/${name}` });
      return { outcome: 'under-way' };
    },
    async setPodDeletionCost({ namespace, name }, cost) {
      report('deletion-cost', { pod: `${namespace}/${name}`, cost: cost ?? null });
      return 'forbidden';
    },
    deletePod: async ({ namespace, name }) => report('delete', { pod: `${namespace}/${name}` }),
  };
}

function createDryCloud(real: Cloud, report: ReportAction): Cloud {
  return {
    catalogue: (...of) => real.catalogue(...of),
    instances: () => real.instances(),
    findInstances: (providerIds) => real.findInstances(providerIds),
    instance: (providerId) => real.instance(providerId),
    impairments: () => real.impairments(),
    // The decision was logged already.
    launch: async () => ({ launches: [], unavailable: [] }),
    nameInstance: async () => {},
    terminate: async (providerId) => report('terminate', { instance: providerId }),
    reboot: async (providerId) => report('reboot', { instance: providerId }),
  };
}

/** Placeholder for an instance profile that a real run would create. */
const NOT_CREATED = 'not-made';

/**
 * Resolves EC2NodeClasses without creating resources or writing their status.
 *
 * @param classes - ports whose records are written, so they must be in memory
 */
export const createDryClasses = ({ objects, resources, ...others }: ClassPorts): ClassPorts => ({
  ...others,
  objects: {
    list: () => objects.list(),
    change: async (object, change) => ({ ...object, ...change }),
    writeStatus: async () => {},
  },
  resources: {
    subnets: (terms) => resources.subnets(terms),
    securityGroups: (terms) => resources.securityGroups(terms),
    images: (spec, version, now) => resources.images(spec, version, now),
    reservations: (terms, now) => resources.reservations(terms, now),
    placementGroup: (selector) => resources.placementGroup(selector),
    instanceProfile: async (_, spec) => spec.instanceProfile ?? NOT_CREATED,
    release: async () => {},
    sweepTemplates: async () => {},
    sweepProfiles: async () => {},
  },
});
