import { GetFunctionConfigurationCommand, ResourceNotFoundException } from '@aws-sdk/client-lambda';
import type { RequestContext } from '../../../../support/iam/conditions.ts';
import { parsePolicy, type Statement } from '../../../../support/iam/policy.ts';
import type { Answer } from '../../forward.ts';
import type { CloudClients } from '../cloud-clients.ts';
import { ACCOUNT, REGION } from '../emulators.ts';
import { type AwsRequest, textOf } from '../rules/aws-request.ts';
import { createRolePolicies } from './role-policies.ts';

/** The sender of requests, with the policies that its role has now. */
export interface Sender {
  /** Its name in reports: the construct of a function, `controller`, or the kind of person. */
  readonly name: string;
  /** Its ARN in refusals. */
  readonly arn: string;
  readonly statements: readonly Statement[];
  /** The context that AWS adds to each of its requests. */
  readonly context: RequestContext;
}

/**
 * Access keys of processes without a role in the account. Functions have their name as session token
 * (`lambda-node`), and roles that are assumed have keys of their own. Any other key is that of an
 * administrator, which may do everything.
 */
export const ACCESS_KEYS = {
  /** Deploys with the CDK, and assumes the roles of its bootstrap. */
  deployer: 'LABKEYDEPLOYER',
  /** Runs `mortise explain` and other commands that read. */
  reader: 'LABKEYREADER',
  controller: 'LABKEYCONTROLLER',
} as const;

export type KeyHolder = keyof typeof ACCESS_KEYS;

export interface Senders {
  /** Returns undefined for an administrator, and for a function that is deleted. */
  find(request: AwsRequest): Promise<Sender | undefined>;
  /** Gives the holder of a key a policy in place of the one before. */
  allow(holder: KeyHolder, policy: unknown): void;
  /** Gives the holder of a key the policies of a role, as they are at each request. */
  actAs(holder: KeyHolder, role: string): void;
  /** Learns from the answer of AssumeRole which role the new access key is for. */
  watch(request: AwsRequest, answer: Answer): void;
  /** Says that CloudFormation is about to change resources. */
  change(): void;
}

export function createSenders({ iam, lambda }: Pick<CloudClients, 'iam' | 'lambda'>): Senders {
  const policies = createRolePolicies(iam);
  const ofHolders = new Map<string, { holder: KeyHolder; statements: readonly Statement[] }>();
  /** Names of roles, by the access key of the session. */
  const sessions = new Map<string, string>();
  /** Names of roles by function. A function keeps its role for life. */
  const functionRoles = new Map<string, string>();

  async function findFunctionRole(name: string): Promise<string | undefined> {
    const cached = functionRoles.get(name);
    if (cached !== undefined) return cached;
    const role = await readFunctionRole(name);
    if (role !== undefined) functionRoles.set(name, role);
    return role;
  }

  async function readFunctionRole(FunctionName: string): Promise<string | undefined> {
    try {
      const get = new GetFunctionConfigurationCommand({ FunctionName });
      return (await lambda.send(get)).Role?.split('/').at(-1) ?? '';
    } catch (error) {
      if (error instanceof ResourceNotFoundException) return undefined;
      throw error;
    }
  }

  async function findRole(role: string, name: string, context: RequestContext = {}): Promise<Sender> {
    const arn = `arn:aws:sts::${ACCOUNT}:assumed-role/${role}/${name}`;
    return { name: shorten(name), arn, statements: await policies.read(role), context };
  }

  return {
    async find({ accessKey, caller }) {
      const holder = ofHolders.get(accessKey);
      if (holder) {
        const { statements, holder: name } = holder;
        return { name, arn: `arn:aws:iam::${ACCOUNT}:user/${name}`, statements, context: {} };
      }
      const session = sessions.get(accessKey);
      if (session !== undefined) return findRole(session, session);
      if (caller === undefined) return undefined;
      const role = await findFunctionRole(caller);
      if (role === undefined) return undefined;
      const arn = `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${caller}`;
      const sender = await findRole(role, caller, { 'lambda:SourceFunctionArn': arn });
      // In the lab, the process of a function that is deleted ends its work.
      const isGone = sender.statements.length === 0 && (await readFunctionRole(caller)) === undefined;
      return isGone ? undefined : sender;
    },
    allow(holder, policy) {
      const statements = parsePolicy(holder, policy);
      ofHolders.set(ACCESS_KEYS[holder], { holder, statements });
    },
    actAs(holder, role) {
      sessions.set(ACCESS_KEYS[holder], role);
    },
    watch(request, { body }) {
      const { service, action } = request;
      if (service === 'iam' && /^(Put|Delete|Attach|Detach)/.test(action)) policies.change();
      if (service !== 'sts' || action !== 'AssumeRole') return;
      const [, key = ''] = /<AccessKeyId>(\w+)</.exec(body.toString()) ?? [];
      sessions.set(key, textOf(request, 'RoleArn').split('/').at(-1) ?? '');
    },
    change: policies.change,
  };
}

/** `Mortise-lab-NodeClassFunction0A1B2C3D-…` and `cdk-hnb659fds-deploy-role-…` without what varies. */
const shorten = (name: string): string =>
  name
    .replace(/^Mortise-[^-]+-/, '')
    .replace(/Function[0-9A-F]{8}.*$/, '')
    .replace(/^cdk-[a-z0-9]+-(.+)-role-.*$/, 'cdk-$1');
