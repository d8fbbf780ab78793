import type { Answer } from '../forward.ts';
import { textAt } from '../json.ts';
import { xmlAnswer } from './fleet-errors.ts';
import type { Pass } from './rules/rule.ts';

/** A customer key of the account. */
export interface LabKey {
  readonly state: 'Enabled' | 'Disabled' | 'PendingDeletion';
  readonly policy: string;
}

/** Quotas and keys of the account, which a scenario may change. */
export interface AccountSettings {
  /** vCPUs, of on-demand and of spot instances each. */
  vcpus: number;
  /** True if the caller may not read quotas. */
  denied: boolean;
  /** By ARN. */
  readonly keys: Map<string, LabKey>;
  /** Stacks in states that the local CloudFormation never reaches, by name. */
  readonly stacks: Map<string, string>;
}

export const createAccountSettings = (): AccountSettings => ({
  ...{ vcpus: 256, denied: false, keys: new Map(), stacks: new Map() },
});

/** Service Quotas and KMS, which the emulator lacks in part, and states of stacks. */
export function createAccountServices(settings: AccountSettings, emulator: Pass) {
  const servicequotas: Pass = async () =>
    settings.denied
      ? json(400, { __type: 'AccessDeniedException', Message: 'not authorized' })
      : json(200, { Quota: { Value: settings.vcpus } });
  const kms: Pass = async (request) => {
    const key = settings.keys.get(textAt(JSON.parse(request.body.toString()), 'KeyId'));
    if (!key) return json(400, { __type: 'NotFoundException', message: 'no such key' });
    return request.action === 'GetKeyPolicy'
      ? json(200, { Policy: key.policy })
      : json(200, { KeyMetadata: { KeyState: key.state } });
  };
  const cloudformation: Pass = async (request) => {
    const name = String(request.parameters.StackName ?? '');
    const status = request.action === 'DescribeStacks' ? settings.stacks.get(name) : undefined;
    return status === undefined ? emulator(request) : xmlAnswer(200, describeStack(name, status));
  };
  return new Map<string, Pass>(Object.entries({ servicequotas, kms, cloudformation }));
}

const describeStack = (name: string, status: string): string =>
  '<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/">' +
  `<DescribeStacksResult><Stacks><member><StackName>${name}</StackName>` +
  `<StackId>arn:aws:cloudformation:us-east-1:000000000000:stack/${name}/1</StackId>` +
  `<CreationTime>2026-01-01T00:00:00Z</CreationTime><StackStatus>${status}</StackStatus>` +
  '</member></Stacks></DescribeStacksResult></DescribeStacksResponse>';

const json = (status: number, body: object): Answer => ({
  status,
  headers: { 'content-type': 'application/x-amz-json-1.1' },
  body: Buffer.from(JSON.stringify(body)),
});
