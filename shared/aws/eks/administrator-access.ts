import {
  DisassociateAccessPolicyCommand,
  type EKSClient,
  EKSServiceException,
  paginateListAssociatedAccessPolicies,
  ResourceNotFoundException,
} from '@aws-sdk/client-eks';
import { SECOND_MS } from '../../model/time.ts';
import type { AdministratorAccess } from '../../ports/cluster-setup.ts';
import type { Clock } from '../../ports/ports.ts';

export interface AccessEntry {
  readonly cluster: string;
  /** The role of the access entry. */
  readonly principalArn: string;
}

interface Waiting {
  readonly clock: Clock;
  readonly sleep: (ms: number) => Promise<unknown>;
}

const POLICY = /:cluster-access-policy\/AmazonEKSClusterAdminPolicy$/;
/** A new role has its rights everywhere after some seconds. */
const MAX_RETRY_MS = 60 * SECOND_MS;
const RETRY_EVERY_MS = 3 * SECOND_MS;

/** The policy of an access entry whose role may end it and not associate it again. */
export function eksAdministratorAccess(
  eks: EKSClient,
  { cluster: clusterName, principalArn }: AccessEntry,
  { clock, sleep }: Waiting,
): AdministratorAccess {
  async function findPolicy() {
    const pages = paginateListAssociatedAccessPolicies({ client: eks }, { clusterName, principalArn });
    for await (const { associatedAccessPolicies = [] } of pages) {
      const policy = associatedAccessPolicies.find(({ policyArn = '' }) => POLICY.test(policyArn));
      if (policy) return policy;
    }
    return undefined;
  }

  async function withRetries<T>(call: () => Promise<T>): Promise<T> {
    const until = clock.now() + MAX_RETRY_MS;
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if (!isDenied(error) || clock.now() + RETRY_EVERY_MS > until) throw error;
        await sleep(RETRY_EVERY_MS);
      }
    }
  }

  return {
    async heldSince() {
      const policy = await withRetries(findPolicy).catch(noneIfGone);
      // A policy without a date was associated at an unknown time: as if just now.
      return policy && (policy.associatedAt?.getTime() ?? clock.now());
    },
    async end() {
      const policy = await findPolicy().catch(noneIfGone);
      if (policy?.policyArn === undefined) return;
      const { policyArn } = policy;
      await eks.send(new DisassociateAccessPolicyCommand({ clusterName, principalArn, policyArn })).catch(noneIfGone);
    },
  };
}

const isDenied = (error: unknown): boolean =>
  error instanceof EKSServiceException && error.name === 'AccessDeniedException';

/** Without the cluster or the access entry there is no policy. */
function noneIfGone(error: unknown): undefined {
  if (error instanceof ResourceNotFoundException) return undefined;
  throw error;
}
