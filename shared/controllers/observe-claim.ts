import type { InstanceSeen, Observed } from '../lifecycle/observed.ts';
import type { Node } from '../model/node.ts';
import type { NodeClaim } from '../model/node-claim.ts';
import type { Instance } from '../ports/cloud.ts';
import type { ClusterObjects } from '../ports/cluster.ts';
import type { Ports } from '../ports/ports.ts';

type Sources = Pick<Ports, 'clock' | 'cluster' | 'cloud'>;

/** Reads what there is of one claim, and of EC2 only what its next step depends on. */
export async function observeClaim(ports: Sources, claim: NodeClaim): Promise<Observed> {
  const objects = await ports.cluster.observe();
  const providerId = claim.launch?.providerId;
  const nodes =
    providerId === undefined ? [] : objects.nodes.filter((node) => node.providerId === providerId);
  const names = new Set(nodes.map(({ name }) => name));
  const leaving = claim.deletingAt !== undefined && names.size > 0;
  const pods = leaving
    ? objects.pods.filter(({ nodeName }) => nodeName !== undefined && names.has(nodeName))
    : [];

  const instance = needsInstance(claim, nodes) ? await findInstance(ports, claim) : undefined;
  return {
    now: ports.clock.now(),
    nodes,
    pods,
    ...objectOf(claim, objects),
    ...(instance && { instance }),
  };
}

/** An object that is there but cannot be read is not missing. */
function objectOf(
  { name }: NodeClaim,
  { nodeClaims, unreadable = [] }: ClusterObjects,
): Pick<Observed, 'object'> {
  const object = nodeClaims.find((candidate) => candidate.name === name);
  if (object) return { object };
  const isThere = unreadable.some((one) => one.kind === 'NodeClaim' && one.name === name);
  return isThere ? {} : { object: 'missing' };
}

/** EC2 is asked when an instance should be ending, or when nothing of it shows signs of life. */
function needsInstance(claim: NodeClaim, nodes: readonly Node[]): boolean {
  const alive = nodes.some(({ ready }) => ready);
  if (claim.deletingAt === undefined) return claim.registeredAt !== undefined && !alive;
  return claim.registeredAt === undefined || claim.drainedAt !== undefined || !alive;
}

/** An instance whose launch died before it was recorded carries the claim's name all the same. */
async function findInstance({ cloud }: Sources, claim: NodeClaim): Promise<InstanceSeen> {
  const instance = claim.launch
    ? await cloud.instance(claim.launch.providerId)
    : (await cloud.instances()).find((candidate) => candidate.claim === claim.name);
  return instance ? seen(instance) : { state: 'gone' };
}

const seen = ({ providerId, state }: Instance): InstanceSeen => ({
  providerId,
  state: state === 'terminated' ? 'gone' : state,
});
