import {
  GetPolicyCommand,
  GetPolicyVersionCommand,
  GetRolePolicyCommand,
  type IAMClient,
  NoSuchEntityException,
  paginateListAttachedRolePolicies,
  paginateListRolePolicies,
} from '@aws-sdk/client-iam';
import { parsePolicy, type Statement } from '../../../../support/iam/policy.ts';

/** The policy statements of the roles in the emulated IAM, where CloudFormation has put them. */
export interface RolePolicies {
  /** Returns none if the role does not exist. */
  read(role: string): Promise<readonly Statement[]>;
  /** Says that CloudFormation is about to change roles or policies. */
  change(): void;
}

/** A step of CloudFormation is announced before it happens, so policies are not stored for a while. */
const STEP_MS = 3_000;

export function createRolePolicies(iam: IAMClient, now: () => number = Date.now): RolePolicies {
  const stored = new Map<string, Promise<readonly Statement[]>>();
  let changedAt = 0;
  return {
    read(role) {
      const cached = stored.get(role);
      if (cached) return cached;
      const reading = readStatements(iam, role);
      if (now() - changedAt > STEP_MS) stored.set(role, reading);
      return reading;
    },
    change() {
      changedAt = now();
      stored.clear();
    },
  };
}

async function readStatements(client: IAMClient, RoleName: string): Promise<readonly Statement[]> {
  try {
    const reading: Promise<readonly Statement[]>[] = [];
    for await (const { PolicyNames = [] } of paginateListRolePolicies({ client }, { RoleName })) {
      reading.push(...PolicyNames.map((name) => readInline(client, RoleName, name)));
    }
    const attached = paginateListAttachedRolePolicies({ client }, { RoleName });
    for await (const { AttachedPolicies = [] } of attached) {
      reading.push(...AttachedPolicies.map(({ PolicyArn = '' }) => readManaged(client, PolicyArn)));
    }
    return (await Promise.all(reading)).flat();
  } catch (error) {
    if (error instanceof NoSuchEntityException) return [];
    throw error;
  }
}

async function readInline(client: IAMClient, RoleName: string, PolicyName: string) {
  const { PolicyDocument = '' } = await client.send(new GetRolePolicyCommand({ RoleName, PolicyName }));
  return parseDocument(PolicyName, PolicyDocument);
}

async function readManaged(client: IAMClient, PolicyArn: string) {
  const { Policy } = await client.send(new GetPolicyCommand({ PolicyArn }));
  const VersionId = Policy?.DefaultVersionId ?? '';
  const { PolicyVersion } = await client.send(new GetPolicyVersionCommand({ PolicyArn, VersionId }));
  return parseDocument(PolicyArn, PolicyVersion?.Document ?? '');
}

/** @see docs.aws.amazon.com/IAM/latest/APIReference/API_GetRolePolicy.html: documents are URL-encoded */
const parseDocument = (name: string, document: string): readonly Statement[] =>
  parsePolicy(name, JSON.parse(decodeURIComponent(document)));
