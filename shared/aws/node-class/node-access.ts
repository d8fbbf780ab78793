import {
  CreateAccessEntryCommand,
  DescribeAccessEntryCommand,
  type EKSClient,
  ResourceInUseException,
  ResourceNotFoundException,
} from '@aws-sdk/client-eks';
import { GetInstanceProfileCommand, type IAMClient } from '@aws-sdk/client-iam';
import { ENTRY_TYPES } from '../../ec2/node-class/access-condition.ts';
import type { NodeAccess, NodeOs } from '../../model/nodes/node-access.ts';
import { type EpochMs, MINUTE_MS } from '../../model/time.ts';
import type { Clock } from '../../ports/ports.ts';

interface NodeAccessDependencies {
  readonly eks: EKSClient;
  readonly iam: IAMClient;
  readonly clock: Clock;
}

/** An access entry rarely changes, and classes are resolved every few minutes. */
const RECHECK_MS = 15 * MINUTE_MS;

/**
 * Looks up the access entry of the role in an instance profile, and creates the entry if the role
 * has none. An existing entry is never changed, because its type cannot be.
 */
export function createNodeAccess(
  { eks, iam, clock }: NodeAccessDependencies,
  cluster: string,
): (profile: string, os: NodeOs) => Promise<NodeAccess> {
  const readyUntil = new Map<string, { readonly access: NodeAccess; readonly until: EpochMs }>();

  return async (profile, os) => {
    const key = `${os} ${profile}`;
    const cached = readyUntil.get(key);
    if (cached && clock.now() < cached.until) return cached.access;
    const access = await ensureAccess({ eks, iam }, { cluster, profile, os });
    if (access.outcome === 'ready') {
      readyUntil.set(key, { access, until: clock.now() + RECHECK_MS });
    }
    return access;
  };
}

interface AccessRequest {
  readonly cluster: string;
  readonly profile: string;
  readonly os: NodeOs;
}

async function ensureAccess(
  { eks, iam }: Pick<NodeAccessDependencies, 'eks' | 'iam'>,
  { cluster, profile, os }: AccessRequest,
): Promise<NodeAccess> {
  const { InstanceProfile } = await iam.send(new GetInstanceProfileCommand({ InstanceProfileName: profile }));
  const role = InstanceProfile?.Roles?.[0]?.Arn;
  if (role === undefined) {
    return { outcome: 'unknown', why: `instance profile ${profile} has no role` };
  }
  try {
    const type = await findEntryType(eks, cluster, role);
    if (type !== undefined) return compareTypes(role, type, os);
    return await createEntry(eks, cluster, role, os);
  } catch (error) {
    return explainRefusal(error, role);
  }
}

const compareTypes = (role: string, type: string, os: NodeOs): NodeAccess =>
  type === ENTRY_TYPES[os] ? { outcome: 'ready', role } : { outcome: 'other-type', role, type };

/** @returns undefined if the role has no entry */
async function findEntryType(eks: EKSClient, cluster: string, role: string): Promise<string | undefined> {
  try {
    const { accessEntry } = await eks.send(
      new DescribeAccessEntryCommand({ clusterName: cluster, principalArn: role }),
    );
    return accessEntry?.type ?? 'STANDARD';
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

async function createEntry(eks: EKSClient, cluster: string, role: string, os: NodeOs): Promise<NodeAccess> {
  try {
    await eks.send(
      new CreateAccessEntryCommand({
        clusterName: cluster,
        principalArn: role,
        type: ENTRY_TYPES[os],
      }),
    );
    return { outcome: 'ready', role };
  } catch (error) {
    // Another process created it meanwhile.
    if (error instanceof ResourceInUseException) {
      return compareTypes(role, (await findEntryType(eks, cluster, role)) ?? 'STANDARD', os);
    }
    if (!(error instanceof Error) || isConfigMapOnly(error)) throw error;
    if (!REFUSALS.has(error.name)) throw error;
    return { outcome: 'missing', role, why: error.message };
  }
}

/** EKS refuses every call about access entries of a cluster with the mode CONFIG_MAP. */
const isConfigMapOnly = ({ name, message }: Error): boolean =>
  name === 'InvalidRequestException' && message.includes('authentication mode');

/** Answers that a repetition does not change. */
const REFUSALS: ReadonlySet<string> = new Set([
  'AccessDeniedException',
  'InvalidParameterException',
  'InvalidRequestException',
  'ResourceLimitExceededException',
]);

/** Also for a cluster outside of EKS, whose nodes need no access entry. */
function explainRefusal(error: unknown, role: string): NodeAccess {
  if (!(error instanceof Error)) throw error;
  if (isConfigMapOnly(error)) return { outcome: 'config-map', role };
  if (!REFUSALS.has(error.name) && !(error instanceof ResourceNotFoundException)) throw error;
  return { outcome: 'unknown', why: error.message };
}
